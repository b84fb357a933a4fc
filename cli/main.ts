/** The `umagraph` command: finds the command's file, parses its flags, runs it, turns errors into sentences and exit codes. */
import { z } from "zod";
import { exitCodes, UmaError } from "../base/errors.ts";
import type { Command } from "./command.ts";
import { flagsOf, parseFlags, readArguments } from "./flags.ts";
import { commandHelp, mainHelp } from "./help.ts";
import { packageVersion } from "./package-version.ts";
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
    name: "report",
    summary: "tables, plots and a session browser from run folders",
    load: () => import("./commands/report.ts"),
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
  help: z.boolean().default(false),
  json: z.boolean().default(false),
  quiet: z.boolean().default(false),
});

export async function main(args: readonly string[]): Promise<number> {
  const [name, ...rest] = args;
  if (name === "--version" || name === "-v") {
    process.stdout.write(`${packageVersion()}\n`);
    return exitCodes.ok;
  }
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    process.stdout.write(`${mainHelp(commands, packageVersion())}\n`);
    return name === undefined ? exitCodes.config : exitCodes.ok;
  }
  try {
    const entry = commands.find((candidate) => candidate.name === name);
    if (!entry) {
      throw new UmaError("config", `there is no command "${name}"`, {
        fix: `commands: ${commands.map((candidate) => candidate.name).join(", ")}`,
      });
    }
    const { command } = await entry.load();
    return await runCommand(
      command,
      rest.map((argument) => (argument === "-h" ? "--help" : argument)),
    );
  } catch (thrown) {
    return report(name, thrown);
  }
}

async function runCommand(command: Command, args: readonly string[]): Promise<number> {
  const flags = [...flagsOf(universal), ...flagsOf(command.flags)];
  // positionals first, loosely: they may decide which further flags there are
  const more = (await command.moreFlags?.(loosePositionals(args, flags))) ?? null;
  const { positionals, given } = readArguments(args, more ? [...flags, ...flagsOf(more)] : flags);
  const { help, json, quiet } = parseFlags(universal, pick(given, universal));
  if (help) {
    process.stdout.write(`${commandHelp(command, more)}\n`);
    return exitCodes.ok;
  }
  const code = await command.run({
    flags: parseFlags(command.flags, pick(given, command.flags)),
    more: more ? pick(given, more) : {},
    positionals,
    terminal: terminal({ json, quiet }),
  });
  return code ?? exitCodes.ok;
}

function loosePositionals(args: readonly string[], flags: ReturnType<typeof flagsOf>): string[] {
  const takesValue = new Set(flags.filter((flag) => !flag.boolean).map((flag) => flag.flag));
  return args.filter((arg, i) => !arg.startsWith("--") && !takesValue.has(args[i - 1] ?? ""));
}

const pick = (given: Readonly<Record<string, unknown>>, schema: z.ZodObject) =>
  Object.fromEntries(Object.entries(given).filter(([key]) => key in schema.shape));

function report(name: string, thrown: unknown): number {
  if (thrown instanceof UmaError) {
    process.stderr.write(`umagraph ${name}: ${thrown.message}\n`);
    if (thrown.fix) process.stderr.write(`  ${thrown.fix}\n`);
    return exitCodes[thrown.code];
  }
  process.stderr.write(`umagraph ${name}: this should not have happened\n`);
  process.stderr.write(`${thrown instanceof Error ? thrown.stack : String(thrown)}\n`);
  return exitCodes.failure;
}
