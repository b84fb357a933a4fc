import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readStatements } from "../../../policies/extractive/statements.ts";

const said = (text: string) => readStatements(text).map(({ date, speaker, text: words }) => [date, speaker, words]);

describe("a text as statements", () => {
  it("of a chat line: day, speaker, sentences", () => {
    expect(said("[2023-05-08 13:56] Caroline: I went to a group yesterday. It was powerful!")).toEqual([
      ["2023-05-08", "Caroline", "I went to a group yesterday."],
      ["2023-05-08", "Caroline", "It was powerful!"],
    ]);
    expect(said("[2023-05-08] +49 170 555: On my way")).toEqual([["2023-05-08", "+49 170 555", "On my way"]]);
  });

  it("of a dated dialogue: the day holds for every line after it", () => {
    expect(
      said(
        'Conversation between A and B\n\nDATE: 1:56 pm on 8 May, 2023\nCONVERSATION:\nCaroline said, "I painted this" and shared a photo of a lake\nMel said, "You said "lake"?"\n\nDATE: 25 May 2023\nMel said, "Hi."',
      ),
    ).toEqual([
      [null, null, "Conversation between A and B"],
      ["2023-05-08", null, "CONVERSATION:"],
      ["2023-05-08", "Caroline", "I painted this and shared a photo of a lake"],
      ["2023-05-08", "Mel", 'You said "lake"?'],
      ["2023-05-25", "Mel", "Hi."],
    ]);
  });

  it("of prose: sentences of anyone; a line after a message belongs to its speaker", () => {
    expect(said("The lake was calm. Nobody spoke.")).toEqual([
      [null, null, "The lake was calm."],
      [null, null, "Nobody spoke."],
    ]);
    expect(said("Ann: one\ntwo")).toEqual([
      [null, "Ann", "one"],
      [null, "Ann", "two"],
    ]);
    expect(said("Subject: the trip")).toEqual([[null, null, "Subject: the trip"]]);
  });

  it("of search results: the head names the chunk and starts anew", () => {
    expect(readStatements("DATE: 8 May 2023\nAnn: one\n\n[passage 2, chunk 7]\nBob: two")).toEqual([
      { text: "one", speaker: "Ann", date: "2023-05-08", chunk: null },
      { text: "two", speaker: "Bob", date: null, chunk: 7 },
    ]);
  });

  it("of Chinese and Japanese text, and of a line without end, cut outside surrogate pairs", () => {
    expect(said("我们去了北京。天气很好！").map(([, , text]) => text)).toEqual(["我们去了北京。", "天气很好！"]);
    const long = readStatements("😀a".repeat(2_000));
    expect(long.length).toBeGreaterThan(10);
    expect(long.map(({ text }) => text).join("")).toBe("😀a".repeat(2_000));
    for (const { text } of long) expect((text as unknown as { isWellFormed(): boolean }).isWellFormed()).toBe(true);
  });

  it("of nothing is nothing", () => {
    for (const text of ["", "\n\n", "---\n***", "\u0000\u0001", "[2023-05-08] "])
      expect(readStatements(text)).toEqual([]);
  });
});

const messy = new URL("../../../../shared/data/messy/", import.meta.url).pathname;
const files = existsSync(messy)
  ? readdirSync(messy, { recursive: true })
      .map(String)
      .filter((name) => statSync(join(messy, name)).isFile())
  : [];
it.skipIf(files.length === 0)(
  "every messy file is read without a crash (skipped where the files are not at hand)",
  () => {
    for (const name of files) {
      const text = readFileSync(join(messy, name)).toString("latin1");
      for (const statement of readStatements(text)) expect(statement.text).not.toBe("");
    }
  },
);
