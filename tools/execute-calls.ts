/**
 * Runs one turn's calls in order: every call gets an observation, nothing vanishes, nothing is done twice
 * (decisions §5, rules 2–5).
 */
import { messageOf } from "../base/errors.ts";
import type { Version } from "../memory/bank.ts";
import type { CallVerdict, ParsedCall } from "./call.ts";
import { cutObservation, type Observation } from "./observation.ts";
import { readArguments } from "./read-arguments.ts";
import type { Phase, Read, Tool, World } from "./tool.ts";
import { type Toolset, toolsOf } from "./toolsets.ts";

export interface ExecuteOptions {
  readonly toolset: Toolset;
  readonly phase: Phase;
  /** Calls beyond this many in one turn are refused, each with an observation. */
  readonly maxCalls: number;
  /** Tokens that all observations of this turn may take together; never exceeded. */
  readonly budget: number;
  /** Tokens that one observation may take. */
  readonly maxObservation: number;
  readonly countTokens: (text: string) => number;
  /** When set, no call is run and each gets this as its observation (a session's last turn). */
  readonly refuse?: string;
  readonly signal?: AbortSignal;
}

export interface CallResult {
  readonly call: ParsedCall;
  readonly verdict: CallVerdict;
  /** Empty only where the budget had no room for a word more. */
  readonly observation: string;
  readonly tokens: number;
  readonly writes: readonly Version[];
  readonly reads: readonly Read[];
  /** Wall time, ms. */
  readonly ms: number;
}

export interface Execution {
  readonly world: World;
  /** One per call, in order. */
  readonly results: readonly CallResult[];
  /** A tool itself broke (say, the embedding service is down): the environment's failure, not the policy's mistake. */
  readonly failure: string | null;
}

/** Throws only when `signal` is aborted while a tool runs. */
export async function executeCalls(
  world: World,
  calls: readonly ParsedCall[],
  options: ExecuteOptions,
): Promise<Execution> {
  const results: CallResult[] = [];
  let current = world;
  let room = Math.max(0, options.budget);
  let failure: string | null = null;

  for (const [index, call] of calls.entries()) {
    const started = performance.now();
    const done: Settled = failure === null ? await settle(current, call, index, options) : refused(AFTER_FAILURE);
    current = done.world ?? current;
    failure = done.failure ?? failure;
    const { text, tokens, shown } = fitObservation(done.observation, room, options);
    room -= tokens;
    const reads = done.reads ?? [];
    results.push({
      call,
      verdict: done.verdict,
      observation: text,
      tokens,
      writes: done.writes ?? [],
      reads: typeof done.observation === "string" ? reads : reads.filter((r) => r.score === null || r.rank <= shown),
      ms: performance.now() - started,
    });
  }
  return { world: current, results, failure };
}

interface Settled {
  readonly verdict: CallVerdict;
  readonly observation: Observation;
  readonly world?: World;
  readonly writes?: readonly Version[];
  readonly reads?: readonly Read[];
  readonly failure?: string;
}

const AFTER_FAILURE = "Not run: an earlier tool call failed.";
const refused = (observation: string): Settled => ({ verdict: "refused", observation });

async function settle(world: World, call: ParsedCall, index: number, options: ExecuteOptions): Promise<Settled> {
  const { maxCalls, refuse, signal } = options;
  if (refuse !== undefined) return refused(refuse);
  if (index >= maxCalls) {
    return refused(`Not run: at most ${maxCalls} calls are taken per turn. Make it again in the next turn.`);
  }
  if (!call.args) {
    return { verdict: "invalid", observation: call.error ?? "This call could not be read. Write it again." };
  }
  const found = findTool(call.name, options);
  if ("problem" in found) return { verdict: found.verdict, observation: found.problem };
  const args = readArguments(found.tool, call.args);
  if ("problem" in args) return { verdict: "invalid", observation: args.problem };
  try {
    const outcome = await found.tool.run(world, args.value, signal);
    const repaired = outcome.verdict === "valid" && (call.repaired || args.repaired);
    return { ...outcome, verdict: repaired ? "repaired" : outcome.verdict };
  } catch (thrown) {
    if (signal?.aborted) throw thrown;
    const failure = `${call.name}: ${messageOf(thrown)}`;
    return { verdict: "valid", observation: `The tool failed: ${messageOf(thrown)}`, failure };
  }
}

function findTool(
  name: string,
  { toolset, phase }: ExecuteOptions,
): { tool: Tool } | { problem: string; verdict: CallVerdict } {
  const offered = toolsOf(toolset, phase);
  const tool = offered.find((candidate) => candidate.name === name);
  if (tool) return { tool };
  const usable = `Tools you can use: ${offered.map((candidate) => candidate.name).join(", ") || "none"}.`;
  if (toolset.tools.some((candidate) => candidate.name === name)) {
    const now = phase === "memory" ? "while the memory is being built" : "while a question is being answered";
    return { verdict: "refused", problem: `${name} cannot be used ${now}. ${usable}` };
  }
  return { verdict: "invalid", problem: `There is no tool named ${JSON.stringify(name)}. ${usable}` };
}

/** What is told of an observation that has no room at all. */
export const noRoom = "[left out: the session's token budget is used up]";

function fitObservation(observation: Observation, room: number, { maxObservation, countTokens }: ExecuteOptions) {
  const nothing = { text: "", tokens: 0, shown: 0 };
  if (room === 0) return nothing;
  const cut = cutObservation(observation, Math.min(maxObservation, room), countTokens);
  if (cut.tokens <= room) return cut;
  const tokens = countTokens(noRoom);
  return tokens <= room ? { ...nothing, text: noRoom, tokens } : nothing;
}
