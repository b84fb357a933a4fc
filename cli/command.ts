/** What a command is: one file, one schema that gives its flags, defaults, help and types. */
import type { z } from "zod";
import type { Terminal } from "./terminal.ts";

export interface Command<Flags extends z.ZodObject = z.ZodObject> {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** What stands after the name, e.g. "<benchmark> [flags]". */
  readonly usage: string;
  /** Paragraphs above the flags in --help. */
  readonly details?: string;
  /** camelCase keys become --kebab-case flags and UMAGRAPH_SNAKE_CASE variables; descriptions become help. */
  readonly flags: Flags;
  /** Flags that depend on what was given, e.g. those of a benchmark. Called before flags are known: values may be among the words. */
  readonly moreFlags?: (words: readonly string[]) => Promise<z.ZodObject | null>;
  readonly examples: readonly { readonly run: string; readonly what: string }[];
  /** The exit code; 0 when nothing is returned. */
  run(given: Invocation<z.infer<Flags>>): Promise<number | undefined>;
}

export interface Invocation<Flags> {
  readonly flags: Flags;
  readonly positionals: readonly string[];
  /** Those of `moreFlags`, as raw texts, true or false. */
  readonly more: Readonly<Record<string, unknown>>;
  /** Keys of the flags that stood on the command line; the others are defaults or come from the environment. */
  readonly typed: ReadonlySet<string>;
  readonly terminal: Terminal;
}

export const defineCommand = <Flags extends z.ZodObject>(command: Command<Flags>): Command =>
  command as unknown as Command;
