/** A session for people to read in the terminal: what it did to the bank, or what it answered. */
import type { SessionRecord } from "../nodes/session/record.ts";

/** One line per write: + added, ~ changed, - deleted. */
export function bankChanges(record: SessionRecord): string[] {
  return record.calls
    .flatMap((call) => call.writes)
    .flatMap(({ op, before, after }) => {
      if (op === "add") return [`  + ${after!.title}`, ...indented(after!.content)];
      if (op === "delete") return [`  - ${before!.title}`];
      const title = before!.title === after!.title ? after!.title : `${before!.title} → ${after!.title}`;
      return [`  ~ ${title}`, ...changedLines(before!.content, after!.content)];
    });
}

export function sessionProblem(record: SessionRecord): string | null {
  if (record.error) return `the session failed (${record.error.boundary}): ${record.error.message}`;
  if (record.core && !record.core.committed) return `the core was kept: ${record.core.kept}`;
  if (record.stage === "qa" && record.answer === null)
    return `no answer: ${record.end === "text" ? "the reply held no text that can be one" : `the session ended by ${record.end}`}`;
  return null;
}

/** What of the session's input did not fit its prompt and was never shown to the policy, or null. */
export function promptCut({ truncated }: SessionRecord): string | null {
  const parts = [
    truncated.focus > 0 && `the first ${truncated.focus} characters of the text`,
    truncated.core > 0 && `the first ${truncated.core} characters of the core`,
  ].filter((part) => part !== false);
  return parts.length === 0
    ? null
    : `${parts.join(" and ")} did not fit the prompt and were not read; raise --budget or lower --chunk-tokens`;
}

const indented = (text: string) => text.split("\n").map((line) => `      ${line}`);

function changedLines(before: string, after: string): string[] {
  const old = new Set(before.split("\n"));
  const now = new Set(after.split("\n"));
  return [
    ...[...old].filter((line) => !now.has(line)).map((line) => `    - ${line}`),
    ...[...now].filter((line) => !old.has(line)).map((line) => `    + ${line}`),
  ];
}
