import { describe, expect, it } from "vitest";
import { linesOf, messagesOf, read, textOf } from "./reading.ts";

const lines = (text: string) => linesOf(read(text));

describe("dated chats are rendered with ISO dates", () => {
  it.each([
    ["day first", "13/01/19, 11:25 - Ann: hi", "[2019-01-13 11:25] Ann: hi"],
    ["month first", "01/13/19, 11:25 - Ann: hi", "[2019-01-13 11:25] Ann: hi"],
    ["dots", "13.01.2019 11:25 - Ann: hi", "[2019-01-13 11:25] Ann: hi"],
    ["year first", "2019/01/13, 11:25 - Ann: hi", "[2019-01-13 11:25] Ann: hi"],
    ["brackets", "[01/13/19 11:25] Ann: hi", "[2019-01-13 11:25] Ann: hi"],
    ["brackets with seconds", "[13.01.19, 11:25:59] Ann: hi", "[2019-01-13 11:25] Ann: hi"],
    ["12 hours with narrow spaces", "01/13/2019, 08:49\u202fp.\u00a0m. - Ann: hi", "[2019-01-13 20:49] Ann: hi"],
    ["12 hours in capitals", "[1/13/19, 8:49:00\u202fPM] Ann: hi", "[2019-01-13 20:49] Ann: hi"],
    ["direction marks", "\u200e[13/01/2019, 11:25:00] \u200eAnn: hi", "[2019-01-13 11:25] Ann: hi"],
    ["Signal", "[2019-12-24, 12:23] Ann: hi", "[2019-12-24 12:23] Ann: hi"],
    ["words", "[1:56 pm on 8 May, 2023] Ann: hi", "[2023-05-08 13:56] Ann: hi"],
    ["our own rendering", "[2016-01-14 12:03] Ann: hi", "[2016-01-14 12:03] Ann: hi"],
    ["our own rendering without a time", "[2016-01-14] Ann: hi", "[2016-01-14] Ann: hi"],
  ])("%s", (_, line, rendered) => {
    const document = read(`${line}\n`);
    expect([document.kind, linesOf(document)]).toEqual(["chat", [rendered]]);
  });

  it("what it wrote it can read again", () => {
    const first = read("13/01/19, 11:25 - Ann: hi\nthere\n14/01/19, 00:05 - Bob: yo\n");
    const second = read(textOf(first));
    expect([second.kind, second.sessions]).toEqual(["chat", first.sessions]);
  });
});

describe("messages", () => {
  it("go on over lines and blank lines until the next one begins", () => {
    const text = "[2024-01-01, 10:00] Ann: one\r\ntwo\r\n\r\nthree\r\n[2024-01-01, 10:01] Bob: four";
    expect(lines(text)).toEqual(["[2024-01-01 10:00] Ann: one\ntwo\n\nthree", "[2024-01-01 10:01] Bob: four"]);
  });

  it("keep colons, links and clock times in the text", () => {
    const chat = [
      "[2024-01-01, 10:00] John-John Doe: Lorem : ipsum",
      "[2024-01-01, 10:01] Ann:.",
      "[2024-01-01, 10:02] https://example.com/a:b",
      "[2024-01-01, 10:03] Meeting at 12:30",
      '[2024-01-01, 10:04] +12 345 678 changed the topic to "Trip: day 2"',
      "[2024-01-01, 10:05] Ann: 12:30 works",
      "[2024-01-01, 10:06] 🤓: hey",
      "[2024-01-01, 10:07] <nick> irc style",
    ];
    const speakers = messagesOf(read(chat.join("\n"))).map(({ speaker }) => speaker);
    expect(speakers).toEqual(["John-John Doe", "Ann", null, null, null, "Ann", "🤓", "nick"]);
  });

  it("a line whose date does not exist in the file's order continues the message", () => {
    const text = "[13/01/24, 10:00] Ann: see\n[01/31/24, 09:00] Bob: quoted\n[14/01/24, 10:00] Ann: ok\n";
    expect(lines(text)).toEqual([
      "[2024-01-13 10:00] Ann: see\n[01/31/24, 09:00] Bob: quoted",
      "[2024-01-14 10:00] Ann: ok",
    ]);
  });

  it("lines before the first message are kept without speaker and date", () => {
    const text = "Chat of the flat\n[2024-01-01, 10:00] A: x\n[2024-01-01, 10:01] B: y\n[2024-01-01, 10:02] A: z\n";
    expect(messagesOf(read(text))[0]).toEqual({ text: "Chat of the flat\n", speaker: null, at: null });
  });

  it("an ambiguous order is noted, and can be set", () => {
    const text = "[01/02/2023, 10:00] A: x\n[03/04/2023, 10:00] B: y\n";
    expect(read(text).notes).toEqual([expect.stringContaining("read day first")]);
    expect(linesOf(read(text, { dateOrder: "month-first" }))[0]).toBe("[2023-01-02 10:00] A: x");
  });
});

describe("sessions of a chat", () => {
  const text = "[2024-01-01, 23:50] A: a\n[2024-01-02, 00:10] B: b\n[2024-01-02, 15:00] A: c\n";

  it("are its calendar days", () => {
    expect(read(text).sessions.map((session) => session.length)).toEqual([1, 2]);
  });

  it("or end at a silence of a given length", () => {
    const document = read(text, { sessionGapMinutes: 60 });
    expect(document.sessions.map((session) => session.length)).toEqual([2, 1]);
  });
});

describe("undated transcripts stay verbatim", () => {
  it("when speakers take turns", () => {
    const text = "Ann: hi\r\nBob: hello\nAnn: how are you?\nfine I hope\nBob: yes\n";
    const document = read(text);
    expect([document.kind, textOf(document)]).toEqual(["chat", text]);
    expect(messagesOf(document).map(({ speaker }) => speaker)).toEqual(["Ann", "Bob", "Ann", "Bob"]);
    expect(messagesOf(document)[2]!.text).toBe("Ann: how are you?\nfine I hope\n");
  });

  it("and end every message with a line feed, also where a file has only carriage returns", () => {
    expect(textOf(read("Ann: hi\rBob: yo\rAnn: bye"))).toBe("Ann: hi\r\nBob: yo\r\nAnn: bye\n");
  });

  it("with a clock in front, or in angle brackets", () => {
    const speakers = messagesOf(read("[12:03] <ann> hi\n[12:04] <bob> yo\n[12:05] <ann> bye\n")).map(
      (one) => one.speaker,
    );
    expect(speakers).toEqual(["ann", "bob", "ann"]);
  });

  it.each([
    ["a recipe", "Time: 20 min\nServes: 4\nNote: nice\nOven: hot\n"],
    ["a log of levels", "INFO: up\nWARN: slow\nINFO: down\nWARN: slow\n"],
    ["indented settings", "list:\n  a: 1\n  b: 2\nlist:\n  a: 3\n"],
    ["prose with a colon", "He said: go.\nThen they went home and slept.\nIn the end: nothing.\n"],
    ["subtitles", "1\n00:00:06,500 --> 00:00:09,000\nAbout: two\n\n2\n00:00:16,500 --> 00:00:19,000\nx\n"],
  ])("%s is no transcript", (_, text) => {
    expect(read(text).kind).not.toBe("chat");
  });

  it("unless it is asked for", () => {
    expect(read("Ann: hi\n", { kind: "chat" }).kind).toBe("chat");
    expect(() => read("no speaker here\n", { kind: "chat" })).toThrow(/not readable as chat/);
  });
});
