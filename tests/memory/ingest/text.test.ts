import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { messagesOf, read, textOf } from "./reading.ts";

const sessions = (text: string, name = "notes.md") =>
  read(text, { name }).sessions.map((session) => session.map((message) => message.text).join(""));

describe("plain text", () => {
  it("is one session of paragraphs", () => {
    const document = read("one\ntwo\n\nthree");
    expect([document.kind, document.sessions.length]).toEqual(["text", 1]);
    expect(messagesOf(document)).toEqual([
      { text: "one\ntwo\n\n", speaker: null, at: null },
      { text: "three", speaker: null, at: null },
    ]);
  });

  it("an empty file is a document without sessions", () => {
    const document = read("");
    expect([document.kind, document.sessions, document.notes, document.bytes]).toEqual([
      "text",
      [],
      ["the file is empty"],
      0,
    ]);
  });

  it("carries size, hash and encoding of the bytes", () => {
    const document = read("\ufeffabc");
    expect([document.bytes, document.encoding]).toEqual([6, "utf-8"]);
    expect(document.hash).toMatch(/^[0-9a-f]{16}$/);
    expect(document.hash).not.toBe(read("abc").hash);
  });
});

describe("Markdown", () => {
  it("has a session per heading, and a heading with nothing under it joins the next", () => {
    expect(sessions("intro\n# One\n\n## Two\ntext\n### Three\nmore\n")).toEqual([
      "intro\n",
      "# One\n\n## Two\ntext\n",
      "### Three\nmore\n",
    ]);
  });

  it("knows underlined headings, fences and front matter", () => {
    expect(sessions("---\ntitle: x\n# no heading\n---\nTop\n===\na\n\n```\n# comment\n```\n\nNext\n---\nb\n")).toEqual([
      "---\ntitle: x\n# no heading\n---\n",
      "Top\n===\na\n\n```\n# comment\n```\n\n",
      "Next\n---\nb\n",
    ]);
  });

  it("a rule between paragraphs is no heading", () => {
    expect(sessions("a\n\n---\n\nb\n")).toHaveLength(1);
  });

  it("by content needs two headings, and never in a .txt file", () => {
    const text = "# One\na\n# Two\nb\n";
    expect([read(text).kind, read(text, { name: "x.txt" }).kind, read("# One\na\n").kind]).toEqual([
      "markdown",
      "text",
      "text",
    ]);
  });
});

describe("verbatim kinds account for every byte", () => {
  it("text, Markdown, logs and transcripts concatenate to the decoded input", () => {
    const line = fc.constantFrom(
      "# Head",
      "Ann: hi",
      "Bob: hello",
      "2024-01-01 10:00:00 up",
      "  indented",
      "",
      "```",
      "===",
      "plain words",
      "\u0000\u001b[0m",
      "- item: x",
    );
    const end = fc.constantFrom("\n", "\r\n", "\n\n");
    const input = fc
      .tuple(fc.array(fc.tuple(line, end), { maxLength: 30 }), line)
      .map(([parts, last]) => `${parts.flat().join("")}${last}`);
    const kind = fc.constantFrom("text", "markdown", "log", undefined);
    fc.assert(
      fc.property(input, kind, fc.constantFrom("a", "a.md", "a.txt", "a.log"), (text, wanted, name) => {
        const document = read(text, wanted === undefined ? { name } : { name, kind: wanted });
        // a transcript ends its last message
        const expected = document.kind === "chat" && !/[\r\n]$/.test(text) ? `${text}\n` : text;
        expect(textOf(document)).toBe(expected);
      }),
      { numRuns: 400 },
    );
  });
});
