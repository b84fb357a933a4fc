/**
 * Undated transcripts: `Name: text`, `<nick> text`, `[12:03] Name: text`. Messages stay verbatim, lines without a speaker
 * continue the message before. Because `word: text` also occurs in settings, notes and logs, several speakers must take
 * turns before a file counts as a transcript.
 */
import type { ReadContext, Reading } from "../document.ts";
import { isBlank, splitLines, withoutEnd } from "../lines.ts";
import { isLogLevel, splitSpeaker } from "./speaker.ts";

const clock = /^\[?\d{1,2}:\d{2}(?::\d{2})?\]? (?=\S)/;
const headLength = 200;

export function readTranscript(text: string, context: ReadContext): Reading | null {
  const lines = splitLines(text);
  const speakers = lines.map((line) => speakerOf(withoutEnd(line.slice(0, headLength))));
  if (context.kind !== "chat" && !takesTurns(lines, speakers)) return null;
  if (speakers.every((speaker) => speaker === null)) return null;
  const messages: { lines: string[]; speaker: string | null }[] = [];
  for (const [index, line] of lines.entries()) {
    const speaker = speakers[index]!;
    const last = messages[messages.length - 1];
    if (last !== undefined && speaker === null) last.lines.push(line);
    else messages.push({ lines: [line], speaker });
  }
  const session = messages.map(({ lines: held, speaker }) => ({ text: endLine(held.join("")), speaker, at: null }));
  return { kind: "chat", sessions: [session], notes: [] };
}

function speakerOf(line: string): string | null {
  if (/^\s/.test(line)) return null;
  const { speaker, text } = splitSpeaker(line.replace(clock, ""));
  return speaker !== null && /^[\p{L}\p{So}+<@~]/u.test(speaker) && !isLogLevel(speaker) && text !== ""
    ? speaker
    : null;
}

/** At least three messages by at least two speakers, one of whom speaks twice, on most of the lines. */
function takesTurns(lines: readonly string[], speakers: readonly (string | null)[]): boolean {
  const said = speakers.filter((speaker) => speaker !== null);
  const distinct = new Set(said).size;
  const filled = lines.filter((line) => !isBlank(line)).length;
  return said.length >= 3 && distinct >= 2 && distinct <= said.length * 0.7 && said.length >= filled * 0.6;
}

const endLine = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);
