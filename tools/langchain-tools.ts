/**
 * A memory as ordinary LangChain tools, for someone else's agent: same names, schemas, rules and observations as in our
 * sessions, without our graphs.
 *
 * A mistake of the model comes back as an observation, as everywhere here; nothing throws but a cancelled run.
 */
import { DynamicStructuredTool } from "@langchain/core/tools";
import { z } from "zod";
import type { Memory } from "../memory/memory.ts";
import type { Source } from "../retrieval/source.ts";
import { executeCalls } from "./execute-calls.ts";
import type { Phase, World } from "./tool.ts";
import { offerOf, type Toolset, toolsets, withoutSearch } from "./toolsets.ts";

export interface LangChainMemoryTools {
  readonly tools: readonly DynamicStructuredTool[];
  /** The memory as it is after the calls so far; the one given in is never changed. */
  memory(): Memory;
}

export interface LangChainToolsOptions {
  /** memory: read and write the bank; qa: read it and search `source`. */
  readonly phase?: Phase;
  readonly toolset?: Toolset;
  /** The raw context; without one, no search tools are offered. */
  readonly source?: Source;
  /** Recorded as the writing session in every entry's lineage. */
  readonly session?: string;
  /** Longest observation in tokens, by `countTokens`. */
  readonly maxObservation?: number;
  readonly countTokens?: (text: string) => number;
  readonly onChange?: (memory: Memory) => void;
}

export function asLangChainTools(memory: Memory, options: LangChainToolsOptions = {}): LangChainMemoryTools {
  const { phase = "memory", source = null, maxObservation = 4_096 } = options;
  const { countTokens = (text: string) => Math.ceil(text.length / 4) } = options;
  const toolset = source ? (options.toolset ?? toolsets.paper) : withoutSearch(options.toolset ?? toolsets.paper);
  let world: World = {
    bank: memory.bank,
    source,
    upTo: source ? source.chunks.length - 1 : -1,
    writer: { chunk: null, session: options.session ?? "langchain" },
  };
  const current = (): Memory => ({ core: memory.core, bank: world.bank });

  async function call(name: string, args: Record<string, unknown>, signal?: AbortSignal): Promise<string> {
    const execution = await executeCalls(world, [{ id: name, name, args, error: null, repaired: false }], {
      toolset,
      phase,
      maxCalls: 1,
      budget: maxObservation,
      maxObservation,
      countTokens,
      ...(signal && { signal }),
    });
    const changed = execution.world.bank !== world.bank;
    world = execution.world;
    if (changed) options.onChange?.(current());
    return execution.results[0]!.observation;
  }

  // an agent may make calls in parallel: each starts from the world that the one before it left
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = (run: () => Promise<string>): Promise<string> => {
    const done = last.then(run);
    last = done.catch(() => undefined);
    return done;
  };

  const tools = offerOf(toolset, phase).definitions.map(
    ({ function: { name, description, parameters } }) =>
      new DynamicStructuredTool({
        name,
        description,
        // providers see the real parameters; what a model wrote is checked by the executor, which answers instead of throwing
        schema: z.looseObject({}).meta(parameters),
        func: (args: Record<string, unknown>, _runManager, config) => inTurn(() => call(name, args, config?.signal)),
      }),
  ) as unknown as DynamicStructuredTool[];
  return { tools, memory: current };
}
