/** The texts of --help, made from the commands themselves so that they cannot go out of date. */
import type { z } from "zod";
import type { Command } from "./command.ts";
import { type Flag, flagsOf } from "./flags.ts";

const exitCodeLine =
  "Exit codes: 0 done · 1 failure · 2 wrong flags · 3 unreadable input · 4 disk or store · 5 conflict · 6 provider · 130 stopped";

const WIDTH = 100;
/** Longer flags have their description on the next line. */
const FLAG_COLUMN = 28;

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

export function commandHelp(command: Command, universal: z.ZodObject, more: z.ZodObject | null): string {
  const flags = [...flagsOf(command.flags), ...(more ? flagsOf(more) : []), ...flagsOf(universal)];
  return [
    `umagraph ${command.name}: ${command.summary}`,
    "",
    `Usage: umagraph ${command.name} ${command.usage}`,
    ...(command.details ? ["", command.details] : []),
    "",
    "Flags:",
    ...flags.flatMap(flagLines),
    "",
    "Examples:",
    ...command.examples.flatMap(({ run, what }) => [`  # ${what}`, `  ${run}`]),
    "",
    exitCodeLine,
  ].join("\n");
}

function flagLines({ flag, boolean, values, description, fallback }: Flag): string[] {
  // a switch that is on is shown as what turns it off
  const name = boolean && fallback === true ? `--no-${flag.slice(2)}` : flag;
  const left = `  ${name}${boolean ? "" : " <value>"}`;
  const choices = values ? ` [${values.join("|")}]` : "";
  const shown = boolean || fallback === undefined || fallback === "" ? "" : ` (default ${plain(fallback)})`;
  const said = name === flag ? description : `Do not ${description.slice(0, 1).toLowerCase()}${description.slice(1)}`;
  const lines = wrap(`${said}${choices}${shown}`);
  const indent = " ".repeat(FLAG_COLUMN);
  return left.length + 2 > FLAG_COLUMN
    ? [left, ...lines.map((line) => indent + line)]
    : lines.map((line, i) => (i === 0 ? left.padEnd(FLAG_COLUMN) : indent) + line);
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  for (const word of text.split(" ")) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= WIDTH - FLAG_COLUMN)
      lines[lines.length - 1] += ` ${word}`;
    else lines.push(word);
  }
  return lines;
}

const plain = (value: unknown) => (Array.isArray(value) ? value.join(",") : String(value));
