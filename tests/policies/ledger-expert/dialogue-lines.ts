/** Writes dialogue for tests: user lines, and assistant lines that begin with "> ". */
import { readSessions, type Session } from "../../../policies/ledger-expert/read-sessions.ts";
import { toLine } from "../../../policies/ledger-expert/spending.ts";

export const dialogue = (date: string, ...lines: readonly string[]): string =>
  lines
    .map((line) =>
      line.startsWith("> ") ? `[${date}] Assistant said, "${line.slice(2)}"` : `[${date}] User said, "${line}"`,
    )
    .join("\n");

export const day = "2024-05-17";

export const sessionOf = (...lines: readonly string[]): Session => readSessions(dialogue(day, ...lines))![0]!;

/** What the lines record on `day`, as `Sub-scene amount` in order. */
export const recorded = (...lines: readonly string[]): string[] =>
  sessionOf(...lines).spendings.map((spending) => toLine(spending).split(" | ").slice(2, 4).join(" "));
