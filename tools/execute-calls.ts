/**
 * Runs one turn's calls in order: every call gets an observation, nothing vanishes, nothing is done twice
 * (decisions §5, rules 2–5).
 */
import { z } from "zod";
import { messageOf } from "../base/errors.ts";
import type { Version } from "../memory/bank.ts";
import type { CallVerdict, ParsedCall } from "./call.ts";
import { cutObservation } from "./observation.ts";
import type { Phase, Read, Tool, World } from "./tool.ts";
import { type Toolset, toolsOf } from "./toolsets.ts";

export interface ExecuteOptions {
  readonly toolset: Toolset;
  readonly phase: Phase;
  /** Calls beyond this many in one turn are refused, each with an observation. */
  readonly maxCalls: number;
  /** Tokens that all observations of this turn may take together. */
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
  readonly observation: string;
  readonly tokens: number;
  readonly writes: readonly Version[];
  readonly reads: readonly Read[];
  /** Wall time, ms. */
  readonly ms: number;
}

export interface Execution {
  readonly world: World;
  readonly results: readonly CallResult[];
  /** A tool itself broke (say, the embedding service is down): the environment's failure, not the policy's mistake. */
  readonly failure: string | null;
}

const NO_ROOM = "[left out: the session's token budget is used up]";

export async function executeCalls(
  world: World,
  calls: readonly ParsedCall[],
  options: ExecuteOptions,
): Promise<Execution> {
  const results: CallResult[] = [];
  let current = world;
  let room = options.budget;
  let failure: string | null = null;

  for (const [index, call] of calls.entries()) {
    const started = performance.now();
    const finish = (
      verdict: CallVerdict,
      observation: Parameters<typeof cutObservation>[0],
      effects: { writes?: readonly Version[]; reads?: readonly Read[] } = {},
    ) => {
      const cut = cutObservation(observation, Math.min(options.maxObservation, Math.max(room, 0)), options.countTokens);
      // below the size of the smallest notice there is no text worth cutting to
      const kept = cut.tokens <= room ? cut : { text: NO_ROOM, tokens: options.countTokens(NO_ROOM), shown: 0 };
      const isList = typeof observation !== "string";
      room -= kept.tokens;
      results.push({
        call,
        verdict,
        observation: kept.text,
        tokens: kept.tokens,
        writes: effects.writes ?? [],
        reads: isList ? (effects.reads ?? []).slice(0, kept.shown) : (effects.reads ?? []),
        ms: performance.now() - started,
      });
    };

    if (failure !== null) {
      finish("refused", "Not run: an earlier tool call failed.");
      continue;
    }
    if (options.refuse !== undefined) {
      finish("refused", options.refuse);
      continue;
    }
    if (index >= options.maxCalls) {
      finish(
        "refused",
        `Not run: at most ${options.maxCalls} calls are taken per turn. Make it again in the next turn.`,
      );
      continue;
    }
    if (call.args === null) {
      finish("invalid", call.error ?? "This call could not be read.");
      continue;
    }
    const found = findTool(call.name, options);
    if ("problem" in found) {
      finish(found.verdict, found.problem);
      continue;
    }
    const args = readArguments(found.tool, call.args);
    if ("problem" in args) {
      finish("invalid", args.problem);
      continue;
    }
    try {
      const outcome = await found.tool.run(current, args.value, options.signal);
      current = outcome.world;
      const repaired = call.repaired || args.repaired;
      finish(outcome.verdict === "valid" && repaired ? "repaired" : outcome.verdict, outcome.observation, outcome);
    } catch (thrown) {
      if (options.signal?.aborted) throw thrown;
      failure = `${call.name}: ${messageOf(thrown)}`;
      finish("valid", `The tool failed: ${messageOf(thrown)}`);
    }
  }
  return { world: current, results, failure };
}

function findTool(
  name: string,
  { toolset, phase }: ExecuteOptions,
): { tool: Tool } | { problem: string; verdict: CallVerdict } {
  const offered = toolsOf(toolset, phase);
  const tool = offered.find((candidate) => candidate.name === name);
  if (tool) return { tool };
  const names = offered.map((candidate) => candidate.name).join(", ");
  if (toolset.tools.some((candidate) => candidate.name === name)) {
    const now = phase === "memory" ? "while the memory is being built" : "while a question is being answered";
    return { verdict: "refused", problem: `${name} cannot be used ${now}. Tools you can use: ${names || "none"}.` };
  }
  return { verdict: "invalid", problem: `There is no tool named "${name}". Tools you can use: ${names || "none"}.` };
}

/** Optional arguments given as null count as left out, and whole numbers given as text are read as numbers (a repair). */
function readArguments(
  tool: Tool,
  given: Record<string, unknown>,
): { value: unknown; repaired: boolean } | { problem: string } {
  const args = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== null));
  const first = tool.schema.safeParse(args);
  if (first.success) return { value: first.data, repaired: false };

  const mended = { ...args };
  for (const issue of first.error.issues) {
    const key = issue.path[0];
    const value = typeof key === "string" ? mended[key] : undefined;
    const wantsNumber = issue.code === "invalid_type" && (issue.expected === "number" || issue.expected === "int");
    if (typeof key === "string" && wantsNumber && typeof value === "string" && /^\d{1,6}$/.test(value.trim()))
      mended[key] = Number(value);
  }
  const second = tool.schema.safeParse(mended);
  if (second.success) return { value: second.data, repaired: true };
  return { problem: `${tool.name} was not run. ${describeIssues(first.error)} Expected: ${signature(tool)}.` };
}

function describeIssues(error: z.ZodError): string {
  return error.issues
    .slice(0, 3)
    .map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}.`)
    .join(" ");
}

const signatures = new WeakMap<Tool, string>();

/** e.g. memory_list(filter?: string) */
function signature(tool: Tool): string {
  const known = signatures.get(tool);
  if (known) return known;
  const schema = z.toJSONSchema(tool.schema, { io: "input" }) as {
    properties?: Record<string, { type?: string; enum?: string[] }>;
    required?: string[];
  };
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(
    ([name, field]) => `${name}${required.has(name) ? "" : "?"}: ${field.enum?.join(" | ") ?? field.type}`,
  );
  const text = `${tool.name}(${fields.join(", ")})`;
  signatures.set(tool, text);
  return text;
}
