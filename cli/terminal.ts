/** Where a command writes: results on stdout, everything else on stderr; with --json, stdout is one JSON value. */
import { type Progress, progressLine } from "./progress.ts";
import { type RedrawnBlock, redrawnBlock } from "./redrawn-block.ts";

export interface Terminal {
  readonly json: boolean;
  /** Width of what is printed. */
  readonly columns: number;
  /** A result for people; silent with --json. */
  print(text?: string): void;
  /** The result for programs; only with --json. */
  result(value: unknown): void;
  /** A remark on stderr; silent with --quiet. */
  note(text: string): void;
  progress(): Progress;
  /** Lines that are drawn again in place; null with --quiet and where stderr is no terminal. */
  block(lines: () => readonly string[]): RedrawnBlock | null;
}

export function terminal(options: { json: boolean; quiet: boolean }): Terminal {
  const { json, quiet } = options;
  return {
    json,
    columns: process.stdout.columns ?? 100,
    print: (text = "") => {
      if (!json) process.stdout.write(`${text}\n`);
    },
    result: (value) => {
      if (json) process.stdout.write(`${JSON.stringify(value, null, 2)}\n`);
    },
    note: (text) => {
      // over a line of progress, where one is shown
      if (!quiet) process.stderr.write(`${process.stderr.isTTY ? "\r\x1b[2K" : ""}${text}\n`);
    },
    progress: () => progressLine({ quiet, stream: process.stderr }),
    block: (lines) => (quiet || !process.stderr.isTTY ? null : redrawnBlock(lines, process.stderr)),
  };
}
