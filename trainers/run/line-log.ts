/** A file with a line per update, in order: a line that is written again replaces the one of its update and all after it. */
import { existsSync } from "node:fs";
import { openJsonl, readJsonl } from "../../base/jsonl.ts";
import { writeWhole } from "../../evals/run-folder.ts";

export interface LineLog<Line extends { readonly update: number }> {
  append(line: Line): void;
  /** Drops the lines of later updates than this one. */
  cutBack(update: number): void;
  /** All lines, from the file. */
  read(): Line[];
  /** The line of this update, when it was appended here and is the last. */
  last(update: number): Line | null;
}

export function lineLog<Line extends { readonly update: number }>(path: string): LineLog<Line> {
  /** The last line's; null before the file has been looked at. */
  let last: number | null = null;
  let appended: Line | null = null;
  const read = () => readJsonl<Line>(path).values;
  const cutBack = (update: number) => {
    const lines = read();
    const kept = lines.filter((line) => line.update <= update);
    if (kept.length < lines.length) writeWhole(path, kept.map((line) => `${JSON.stringify(line)}\n`).join(""));
    last = kept.at(-1)?.update ?? -1;
    appended = null;
  };
  return {
    read,
    cutBack,
    append(line) {
      if (last === null || last >= line.update) cutBack(line.update - 1);
      // a torn tail, left by a killed process, is cut off here
      const file = openJsonl(path, { fsync: !existsSync(path) });
      try {
        file.append(line);
      } finally {
        file.close();
      }
      last = line.update;
      appended = line;
    },
    last: (update) => (appended?.update === update ? appended : null),
  };
}
