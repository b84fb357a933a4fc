/**
 * A graph as a node of a fan-out: what breaks in it is data of its own branch, since a node that throws would take its
 * siblings' results with it.
 */
import type { RunnableConfig } from "@langchain/core/runnables";
import { messageOf } from "../../base/errors.ts";
import type { AnyGraph } from "../../graphs/any-graph.ts";
import { type AsNodeOptions, asNode } from "../../graphs/as-node.ts";
import { isControlFlow } from "../../nodes/session/run-config.ts";
import { branchOf, type SessionBook, withinBranch } from "./session-book.ts";
import type { SessionSummary } from "./session-summary.ts";

export interface AsBranchOptions<Outer, Inner, Update> {
  readonly book: SessionBook;
  readonly input?: NonNullable<AsNodeOptions<Outer, Inner>["input"]>;
  /** What the branch gives: from its own state, the graph's final one and the sessions that ran in it. */
  readonly done: (outer: Outer, inner: Inner, sessions: readonly SessionSummary[]) => Update;
  readonly failed: (outer: Outer, error: string, sessions: readonly SessionSummary[]) => Update;
}

export function asBranch<Outer, Inner, Update>(graph: AnyGraph, options: AsBranchOptions<Outer, Inner, Update>) {
  const { book, input, done, failed } = options;
  const [run, shown] = asNode<Outer, Inner>(graph, { ...(input && { input }), output: (inner) => ({ inner }) });
  const node = async (outer: unknown, config: RunnableConfig): Promise<Update> => {
    const branch = branchOf(config);
    try {
      const { inner } = (await run(outer, withinBranch(config))) as { inner: Inner };
      return done(outer as Outer, inner, book.take(branch));
    } catch (thrown) {
      // a breakpoint keeps what the book holds: the branch goes on later
      if (isControlFlow(thrown)) throw thrown;
      const sessions = book.take(branch);
      if (config.signal?.aborted) throw thrown;
      return failed(outer as Outer, messageOf(thrown), sessions);
    }
  };
  return [node, shown] as [typeof node, typeof shown];
}
