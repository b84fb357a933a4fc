/** The `umagraph` command: finds the command's file, parses its flags, runs it, turns errors into sentences and exit codes. */
import { z } from "zod";
import { closest } from "../base/closest.ts";
import { exitCodes, messageOf, UmaError } from "../base/errors.ts";
import { packageVersion } from "../base/package-version.ts";
import type { Command } from "./command.ts";
import { flagsOf, isFlag, parseFlags, readArguments } from "./flags.ts";
import { commandHelp, mainHelp } from "./help.ts";
import { terminal } from "./terminal.ts";

/** Loaded only when called: a command that needs no LangChain does not wait for it. */
const commands: readonly { name: string; summary: string; load: () => Promise<{ command: Command }> }[] = [
  {
    name: "demo",
    summary: "the whole loop offline in a minute, without a model",
    load: () => import("./commands/demo.ts"),
  },
  { name: "memorize", summary: "read files into a memory", load: () => import("./commands/memorize.ts") },
  { name: "ask", summary: "answer a question from a memory", load: () => import("./commands/ask.ts") },
  {
    name: "memory",
    summary: "list, show, export, import or delete memories",
    load: () => import("./commands/memory.ts"),
  },
  {
    name: "eval",
    summary: "run a benchmark: variants × policies → run folders",
    load: () => import("./commands/eval.ts"),
  },
  {
    name: "rollout",
    summary: "sample G memories × M questions per context, with rewards and advantages",
    load: () => import("./commands/rollout.ts"),
  },
  {
    name: "report",
    summary: "tables, plots and a session browser from run folders",
    load: () => import("./commands/report.ts"),
  },
  {
    name: "inspect",
    summary: "look into a run: contexts → trajectories → sessions, with rewards and bank diffs",
    load: () => import("./commands/inspect.ts"),
  },
  {
    name: "rewards",
    summary: "rewards and advantages of a run, recomputed from its log",
    load: () => import("./commands/rewards.ts"),
  },
  {
    name: "batch",
    summary: "what a run would ship to the learner: counts, tokens, mode",
    load: () => import("./commands/batch.ts"),
  },
  {
    name: "train",
    summary: "train a policy by reinforcement from outcomes, or on an expert's sessions",
    load: () => import("./commands/train.ts"),
  },
  {
    name: "diff",
    summary: "whether two runs are the same, times and machine left out",
    load: () => import("./commands/diff.ts"),
  },
  {
    name: "learner",
    summary: "the training service: start, status, stop, logs, doctor",
    load: () => import("./commands/learner.ts"),
  },
  { name: "generate", summary: "write benchmark data (Ledger-QA)", load: () => import("./commands/generate.ts") },
  { name: "graph", summary: "print a graph as Mermaid", load: () => import("./commands/graph.ts") },
  { name: "studio", summary: "serve the graphs for LangGraph Studio", load: () => import("./commands/studio.ts") },
  {
    name: "doctor",
    summary: "check this machine: versions, native modules, server, disk",
    load: () => import("./commands/doctor.ts"),
  },
];

const universal = z.object({
  json: z.boolean().default(false).describe("The result as one JSON document on stdout"),
  quiet: z.boolean().default(false).describe("No progress and no remarks on stderr"),
  help: z.boolean().default(false).describe("This text"),
});

export async function main(args: readonly string[]): Promise<number> {
  endWithTheReader();
  const [name, ...rest] = args;
  if (name === "--version" || name === "-v") {
    process.stdout.write(`${packageVersion()}\n`);
    return exitCodes.ok;
  }
  if (name === undefined || name === "--help" || name === "-h" || (name === "help" && rest.length === 0)) {
    process.stdout.write(`${mainHelp(commands, packageVersion())}\n`);
    return name === undefined ? exitCodes.config : exitCodes.ok;
  }
  if (name === "help") return main([...rest.slice(0, 1), "--help"]);
  try {
    return await runCommand(
      await loadCommand(name),
      rest.map((argument) => (argument === "-h" ? "--help" : argument)),
    );
  } catch (thrown) {
    return report(name, thrown, wantsJson(rest));
  }
}

async function loadCommand(name: string): Promise<Command> {
  const entry = commands.find((candidate) => candidate.name === name);
  if (entry) return (await entry.load()).command;
  const names = commands.map((candidate) => candidate.name);
  const meant = closest(name, names);
  throw new UmaError("config", `there is no command "${name}"`, {
    fix: meant ? `did you mean umagraph ${meant}?` : `commands: ${names.join(", ")}`,
  });
}

async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  const own = [...flagsOf(universal), ...flagsOf(command.flags)];
  // words first, loosely: they may decide which further flags there are
  const more = (await command.moreFlags?.(looseWords(args, own))) ?? null;
  const { positionals, given, typed } = readArguments(args, more ? [...own, ...flagsOf(more)] : own);
  const { help, json, quiet } = parseFlags(universal, pick(given, universal));
  if (help) {
    process.stdout.write(`${commandHelp(command, universal, more)}\n`);
    return exitCodes.ok;
  }
  const code = await command.run({
    flags: parseFlags(command.flags, pick(given, command.flags)),
    more: more ? pick(given, more) : {},
    positionals,
    typed,
    terminal: terminal({ json, quiet }),
  });
  return code ?? exitCodes.ok;
}

/** What may be positionals: neither flags nor the values of known ones. */
function looseWords(args: readonly string[], flags: ReturnType<typeof flagsOf>): string[] {
  const takesValue = new Set(flags.filter((flag) => !flag.boolean).map((flag) => flag.flag));
  return args.filter((arg, i) => !isFlag(arg) && !takesValue.has(args[i - 1] ?? ""));
}

const pick = (given: Readonly<Record<string, unknown>>, schema: z.ZodObject) =>
  Object.fromEntries(Object.entries(given).filter(([key]) => key in schema.shape));

/** Asked where the arguments may be what is wrong. */
function wantsJson(args: readonly string[]): boolean {
  try {
    const { given } = readArguments(
      args.filter((arg) => arg.startsWith("--json") || arg === "--no-json"),
      flagsOf(universal),
    );
    return given.json === true;
  } catch {
    return false;
  }
}

/** The sentence on stderr; with --json the same as the one document on stdout. */
function report(name: string, thrown: unknown, json: boolean): number {
  const known = thrown instanceof UmaError ? thrown : null;
  const code = known ? exitCodes[known.code] : exitCodes.failure;
  if (known) {
    process.stderr.write(`umagraph ${name}: ${known.message}\n`);
    if (known.fix) process.stderr.write(`  ${known.fix}\n`);
  } else {
    process.stderr.write(`umagraph ${name}: this should not have happened\n`);
    process.stderr.write(`${thrown instanceof Error ? thrown.stack : String(thrown)}\n`);
  }
  if (json) {
    const error = { code: known?.code ?? "failure", message: messageOf(thrown), fix: known?.fix ?? null };
    process.stdout.write(`${JSON.stringify({ error }, null, 2)}\n`);
  }
  return code;
}

/** `umagraph … | head`: when nobody reads any more there is nothing left to say. */
function endWithTheReader(): void {
  if (!process.stdout.listeners("error").includes(endOnBrokenPipe)) process.stdout.on("error", endOnBrokenPipe);
}

function endOnBrokenPipe(error: NodeJS.ErrnoException): void {
  if (error.code === "EPIPE") process.exit(exitCodes.ok);
  throw error;
}
