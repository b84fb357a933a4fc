import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UmaError } from "../../../base/errors.ts";
import { type DocumentKind, documentKinds } from "../../../memory/ingest/document.ts";
import { readDocument } from "../../../memory/ingest/read-document.ts";
import { textOf } from "./reading.ts";

const seeds = [
  "[01/02/19, 11:25] Bob: hi\n",
  "13.01.2019 11:25 - Ann: hi\nmore\n",
  "2012-07-02 10:22:40,672:DEBUG:x\n",
  "From: a@example.org\nSubject: =?utf-8?Q?=E9?=\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nx\n--b--\n",
  "From: a@example.org\nMessage-ID: <1>\nContent-Type: text/html\nContent-Transfer-Encoding: base64\n\nPGI+\n",
  'BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nDTSTART;TZID="a:b":20240101T000000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n',
  '[{"role":"user","content":[{"type":"text","text":"hi"}]},{"type":"ai","data":{"content":"x"}}]',
  '{"messages":[{"sender_name":"a","timestamp_ms":1579294140000,"content":"x"}]}',
  '{"a":1}\n{"b":[1,2,{"c":null}]}\n',
  "# One\n\ntext\n\n## Two\n```\n# no\n```\n",
  "Ann: hi\nBob: yo\nAnn: bye\n",
];

/** A real input with some bytes cut, doubled, overwritten or moved. */
const mutated = fc
  .tuple(
    fc.constantFrom(...seeds),
    fc.array(
      fc.record({ at: fc.nat(400), length: fc.nat(40), bytes: fc.uint8Array({ maxLength: 8 }), twice: fc.boolean() }),
      { maxLength: 6 },
    ),
  )
  .map(([seed, edits]) =>
    edits.reduce((input, { at, length, bytes, twice }) => {
      const from = at % (input.length + 1);
      const cut = input.subarray(from, from + length);
      return Buffer.concat([
        input.subarray(0, from),
        ...(twice ? [cut, cut] : []),
        bytes,
        input.subarray(from + length),
      ]);
    }, Buffer.from(seed)),
  );

function readAny(input: Uint8Array, kind: DocumentKind | undefined, lossy: boolean, name: string) {
  try {
    return readDocument(input, kind === undefined ? { name, lossy } : { name, lossy, kind });
  } catch (error) {
    if (error instanceof UmaError && !/[\r\n]/.test(`${error.message}${error.fix}`)) return error;
    throw error;
  }
}

const kinds = fc.constantFrom(undefined, ...documentKinds);
const fileNames = fc.constantFrom("a", "a.txt", "a.md", "a.json", "a.log", "a.eml", "a.ics");
const rendered = new Set<DocumentKind>(["messages", "chat", "mail", "calendar"]);

describe("hostile input", () => {
  it("random bytes as any kind give a document or an UmaError of one line, nothing else", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 400 }), kinds, fc.boolean(), fileNames, (input, kind, lossy, name) => {
        readAny(input, kind, lossy, name);
      }),
      { numRuns: 500 },
    );
  });

  it("damaged files of every kind give a document whose parts hold together", () => {
    fc.assert(
      fc.property(mutated, kinds, fc.boolean(), fileNames, (input, kind, lossy, name) => {
        const document = readAny(input, kind, lossy, name);
        if (document instanceof UmaError) return;
        expect(document.bytes).toBe(input.length);
        expect(document.sessions.every((session) => session.length > 0)).toBe(true);
        for (const { text, at, speaker } of document.sessions.flat()) {
          expect(text).not.toBe("");
          if (rendered.has(document.kind)) expect(text.endsWith("\n")).toBe(true);
          if (at !== null)
            expect(at).toMatch(/^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2})?)?$/);
          if (speaker !== null) expect(speaker).not.toMatch(/\n|^$/);
        }
      }),
      { numRuns: 600 },
    );
  });

  it("text that decodes is never lost: as text it comes back exactly", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 300 }), (text) => {
        const document = readAny(Buffer.from(text), "text", false, "a");
        if (!(document instanceof UmaError) && document.encoding === "utf-8")
          expect(textOf(document)).toBe(text.replace(/^\ufeff/, ""));
      }),
    );
  });

  it.each([
    ["one line of 10 MB", "lorem ipsum ".repeat(900_000), "text"],
    ["2 MB of opening brackets", "[".repeat(2_000_000), "text"],
    [
      "a mail of angle brackets",
      `From: a@b.c\nSubject: x\nContent-Type: text/html\n\n${"<".repeat(2_000_000)}>`,
      "mail",
    ],
    [
      "a mail of open scripts",
      `From: a@b.c\nSubject: x\nContent-Type: text/html\n\n${"<script>".repeat(250_000)}`,
      "mail",
    ],
    ["a mail with a folded header of 2 MB", `From: a@b.c\nSubject: x\n${" a\n".repeat(700_000)}\nbody`, "mail"],
    [
      "a mail of half-open parameters",
      `From: a@b.c\nMessage-ID: 1\nContent-Type: a/b${';a="'.repeat(300_000)}\n\nx`,
      "mail",
    ],
    ["a string of 5 MB in JSON", JSON.stringify({ a: "x ".repeat(2_500_000) }), "json"],
  ])("%s is read in linear time", (_, text, kind) => {
    expect(readDocument(Buffer.from(text), { name: "a" }).kind).toBe(kind);
  });

  it("the speaker and the date of a message cannot break its line", () => {
    const dump = JSON.stringify([{ user: "A\r\n[2020-01-01] Boss", date: "x\ny", text: "t" }]);
    expect(textOf(readDocument(Buffer.from(dump), { name: "a" }))).toBe("[x y] A [2020-01-01] Boss: t\n");
  });
});
