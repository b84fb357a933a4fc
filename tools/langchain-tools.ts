/**
 * A memory as ordinary LangChain tools, for someone else's agent: same names, schemas, rules and observations as in our
 * sessions, without our graphs.
 */
import { type DynamicStructuredTool, tool as langChainTool } from "@langchain/core/tools";
import type { z } from "zod";
import type { Memory } from "../memory/memory.ts";
import type { Source } from "../retrieval/source.ts";
import { cutObservation } from "./observation.ts";
import { type Phase, toolDefinition, type World } from "./tool.ts";
import { type Toolset, toolsets, toolsOf } from "./toolsets.ts";

export interface LangChainMemoryTools {
  readonly tools: readonly DynamicStructuredTool[];
  /** The memory as it is after the calls so far; the one given in is never changed. */
  memory(): Memory;
}

export function asLangChainTools(
  memory: Memory,
  options: {
    phase?: Phase;
    toolset?: Toolset;
    source?: Source;
    /** Recorded as the writing session in every entry's lineage. */
    session?: string;
    /** Longest observation in tokens, by `countTokens`. */
    maxObservation?: number;
    countTokens?: (text: string) => number;
    onChange?: (memory: Memory) => void;
  } = {},
): LangChainMemoryTools {
  const { phase = "memory", toolset = toolsets.paper, source = null, maxObservation = 4_096 } = options;
  const countTokens = options.countTokens ?? ((text: string) => Math.ceil(text.length / 4));
  let world: World = {
    bank: memory.bank,
    source,
    upTo: source ? source.chunks.length - 1 : -1,
    writer: { chunk: null, session: options.session ?? "langchain" },
  };
  const current = (): Memory => ({ core: memory.core, bank: world.bank });

  const tools = toolsOf(toolset, phase).map((tool) =>
    langChainTool(
      async (args: unknown, config) => {
        // An agent may run calls in parallel. Writes are synchronous, so each one starts from the world the last one left.
        const running = tool.run(world, args, config?.signal);
        const outcome = running instanceof Promise ? await running : running;
        if (tool.kind === "write" && outcome.world !== world) {
          world = outcome.world;
          if (outcome.writes.length > 0) options.onChange?.(current());
        }
        return cutObservation(outcome.observation, maxObservation, countTokens).text;
      },
      {
        name: tool.name,
        description: toolDefinition(tool).function.description,
        schema: tool.schema as z.ZodObject,
      },
    ),
  ) as unknown as DynamicStructuredTool[];
  return { tools, memory: current };
}
