/** Plain text: one session, paragraphs as messages, verbatim. */
import type { Reading } from "../document.ts";
import { splitLines, splitParagraphs } from "../lines.ts";

export function readText(text: string): Reading {
  const messages = splitParagraphs(splitLines(text)).map((paragraph) => ({ text: paragraph, speaker: null, at: null }));
  return { kind: "text", sessions: messages.length === 0 ? [] : [messages], notes: [] };
}
