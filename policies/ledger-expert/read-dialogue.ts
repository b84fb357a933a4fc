/** A chunk of dialogue as utterances: lines of the form `[2024-02-23] User said, "…"`, whose text is not escaped. */
import { isDate } from "./dates.ts";

export interface Utterance {
  /** The session's date, ISO. */
  readonly date: string;
  readonly speaker: "User" | "Assistant";
  readonly text: string;
}

const opening = /^\[(\d{4}-\d{2}-\d{2})\] (User|Assistant) said, "/;
/** What a passage of a search is headed by; no part of any utterance. */
const passageHead = /^\[passage \d+, chunk \d+\]$/;

/** In the order of the lines. A line that opens no utterance goes on with the one before; what comes before the first is left out. */
export function readDialogue(text: string): Utterance[] {
  const utterances: { date: string; speaker: Utterance["speaker"]; text: string }[] = [];
  for (const line of text.split("\n")) {
    const match = line.startsWith("[") ? opening.exec(line) : null;
    const last = utterances.at(-1);
    if (match && (match[1] === last?.date || isDate(match[1]!))) {
      const [head, date, speaker] = match;
      utterances.push({ date: date!, speaker: speaker as Utterance["speaker"], text: line.slice(head.length) });
    } else if (last && line !== "" && !passageHead.test(line)) last.text += `\n${line}`;
  }
  for (const utterance of utterances) utterance.text = withoutClosingQuote(utterance.text.trimEnd());
  return utterances;
}

const withoutClosingQuote = (text: string) => (text.endsWith('"') ? text.slice(0, -1) : text);
