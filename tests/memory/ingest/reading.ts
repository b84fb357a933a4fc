/** Short forms for tests: a text under a name → its document, and what the document says. */
import type { Document, Message, ReadContext } from "../../../memory/ingest/document.ts";
import { readDocument } from "../../../memory/ingest/read-document.ts";

export const read = (content: string | Uint8Array, context: Partial<ReadContext> = {}): Document =>
  readDocument(typeof content === "string" ? Buffer.from(content) : content, { name: "input", ...context });

export const messagesOf = (document: Document): readonly Message[] => document.sessions.flat();
export const textOf = (document: Document): string =>
  messagesOf(document)
    .map(({ text }) => text)
    .join("");
/** Rendered lines without their line end. */
export const linesOf = (document: Document): string[] =>
  messagesOf(document).map(({ text }) => text.replace(/\n$/, ""));
