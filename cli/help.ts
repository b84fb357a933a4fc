/** The texts of --help, made from the commands themselves so that they cannot go out of date. */
import type { z } from "zod";
import type { Command } from "./command.ts";
import { type Flag, flagsOf } from "./flags.ts";

const exitCodeLine =
  "Exit codes: 0 done · 1 failure · 2 wrong flags · 3 unreadable input · 4 disk or store · 5 conflict · 6 provider · 130 stopped";

export function mainHelp(commands: readonly { name: string; summary: string }[], version: string): string {
  const width = Math.max(...commands.map((command) => command.name.length));
  return [
    `umagraph ${version}: agents that read a stream once, keep a memory, and answer many questions from it later`,
    "",
    "Usage: umagraph <command> [flags]",
    "",
    ...commands.map((command) => `  ${command.name.padEnd(width)}  ${command.summary}`),
    "",
    "Every command: --help (with examples), --json (the result as JSON on stdout), --quiet (no progress)",
    "Every flag has an environment twin: --base-url is UMAGRAPH_BASE_URL.",
    exitCodeLine,
    "",
    "First look, offline:  umagraph demo",
  ].join("\n");
}

export function commandHelp(command: Command, more: z.ZodObject | null): string {
  const flags = flagsOf(command.flags);
  const extra = more ? flagsOf(more) : [];
  return [
    `umagraph ${command.name}: ${command.summary}`,
    "",
    `Usage: umagraph ${command.name} ${command.usage}`,
    ...(command.details ? ["", command.details] : []),
    "",
    "Flags:",
    ...flagLines([...flags, ...extra]),
    "  --json  The result as JSON on stdout",
    "  --quiet  No progress and no remarks on stderr",
    "",
    "Examples:",
    ...command.examples.flatMap(({ run, what }) => [`  # ${what}`, `  ${run}`]),
    "",
    exitCodeLine,
  ].join("\n");
}

function flagLines(flags: readonly Flag[]): string[] {
  return flags.map(({ flag, boolean, values, description, fallback }) => {
    const value = boolean ? "" : values ? ` ${values.join("|")}` : " <value>";
    const shown =
      fallback === undefined || fallback === false || fallback === "" ? "" : ` (default ${plain(fallback)})`;
    return `  ${flag}${value}  ${description}${shown}`;
  });
}

const plain = (value: unknown) => (Array.isArray(value) ? value.join(",") : String(value));
