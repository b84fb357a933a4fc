/** What a caller may add when a graph is compiled; Studio brings its own checkpointer. */
import type { BaseCheckpointSaver } from "@langchain/langgraph";

export interface CompileOptions {
  readonly checkpointer?: BaseCheckpointSaver;
  /**
   * Stop before these nodes, in this graph and in every graph inside it, e.g. `["executeTools"]`: a person can look at the
   * pending calls, edit them and go on. Needs a checkpointer. For one run only, without compiling again:
   * `graph.invoke(input, { configurable: { thread_id, interruptBefore: ["executeTools"] } })`.
   */
  readonly interruptBefore?: readonly string[];
}

interface Builder {
  readonly nodes: object;
  compile(options: object): { withConfig(config: object): unknown };
}

/** `recursionLimit` when LangGraph's own 25 supersteps are not enough, which is so for every loop. */
export function compileGraph<B extends Builder>(
  builder: B,
  options: CompileOptions & { readonly name: string; readonly recursionLimit?: number },
): ReturnType<B["compile"]> {
  const { name, checkpointer, interruptBefore = [], recursionLimit } = options;
  const own = interruptBefore.filter((node) => Object.hasOwn(builder.nodes, node));
  const compiled = builder.compile({
    name,
    ...(checkpointer && { checkpointer }),
    ...(own.length > 0 && { interruptBefore: own }),
  });
  return compiled.withConfig({
    ...(recursionLimit !== undefined && { recursionLimit }),
    // how the graphs inside hear of it; see as-node.ts
    ...(interruptBefore.length > 0 && { configurable: { interruptBefore } }),
  }) as ReturnType<B["compile"]>;
}
