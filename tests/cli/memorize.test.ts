import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { keptMemoryCodec } from "../../memory/kept-memory.ts";
import { openSqliteStore } from "../../memory/store/sqlite-store.ts";
import { json, type Ran, runCli, runHere, temporaryFolder } from "./run-cli.ts";

const parent = temporaryFolder();

/** A folder with a chat of some days, one session a day. */
function withChat(days = 3): string {
  const cwd = mkdtempSync(join(parent, "cwd-"));
  mkdirSync(join(cwd, "in"));
  writeFileSync(join(cwd, "in", "chat.txt"), chat(1, days));
  return cwd;
}
const chat = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => first + i)
    .flatMap((day) => [
      `[${String(day).padStart(2, "0")}.03.24, 10:15:00] Ada: I have moved to town number ${day}.`,
      `[${String(day).padStart(2, "0")}.03.24, 10:16:00] Ben: ok`,
    ])
    .map((line) => `${line}\n`)
    .join("");

interface MemorizeJson {
  readonly version: number;
  readonly complete: boolean;
  readonly chunks: number;
  readonly unread: number;
  readonly entries: number;
  readonly documents: string[];
  readonly refused: { name: string; reason: string }[];
}
const memorize = (cwd: string, ...args: string[]) => runHere(["memorize", ...args, "--memory", "m", "--json"], { cwd });
const show = async (cwd: string, name = "m") => json(await runHere(["memory", "show", name, "--json"], { cwd }));
const brief = (ran: Ran) => {
  expect(ran).toMatchObject({ code: 0 });
  const { version, chunks, documents } = json<MemorizeJson>(ran);
  return { version, chunks, documents };
};
function chunkTexts(cwd: string): string[] {
  const store = openSqliteStore(join(cwd, ".umagraph", "memories.db"));
  try {
    return keptMemoryCodec
      .decode(store.load({ namespace: ["default"], id: "m" })!.bytes)
      .chunks.map(({ text }) => text);
  } finally {
    store.close();
  }
}

describe("memorize reads only what is new", () => {
  test("the same input again: nothing, and the memory stays as it is", async () => {
    const cwd = withChat();
    expect(brief(await memorize(cwd, "in"))).toEqual({ version: 1, chunks: 3, documents: ["chat.txt"] });
    const before = await show(cwd);
    const again = await runHere(["memorize", "in", "--memory", "m"], { cwd });
    expect(again.code).toBe(0);
    expect(again.stdout).toBe('nothing new: 1 document read before; memory "m" stays at version 1\n');
    expect(await show(cwd)).toEqual(before);
    expect(readdirSync(join(cwd, ".umagraph", "reading"))).toEqual([]);
  });

  test("a chat that has grown gives its new messages, also those that say what was said before", async () => {
    const cwd = withChat();
    await memorize(cwd, "in");
    appendFileSync(join(cwd, "in", "chat.txt"), chat(4, 5));
    expect(brief(await memorize(cwd, "in"))).toEqual({ version: 2, chunks: 2, documents: ["chat.txt"] });
    const texts = chunkTexts(cwd);
    expect(texts).toHaveLength(5);
    expect(texts[3]).toContain("town number 4");
    expect(texts[3]!.match(/Ben: ok/g)).toHaveLength(1);
    expect(texts.join("").match(/town number 1\./g)).toHaveLength(1);
  });

  test("text that goes on where its last paragraph had no line end gives only the new paragraphs", async () => {
    const cwd = mkdtempSync(join(parent, "cwd-"));
    writeFileSync(join(cwd, "notes.txt"), "Ada lives in Lisbon.\n\nBen lives in Porto.");
    await memorize(cwd, "notes.txt");
    appendFileSync(join(cwd, "notes.txt"), "\n\nMara lives in Faro.\n");
    await memorize(cwd, "notes.txt");
    expect(chunkTexts(cwd)).toEqual(["Ada lives in Lisbon.\n\nBen lives in Porto.", "Mara lives in Faro.\n"]);
  });

  test("a copy under another name is noticed by its content, in another run and in the same one", async () => {
    const cwd = withChat();
    cpSync(join(cwd, "in", "chat.txt"), join(cwd, "in", "copy.txt"));
    const ran = await memorize(cwd, "in");
    expect(brief(ran)).toMatchObject({ chunks: 3, documents: ["chat.txt"] });
    expect(ran.stderr).toContain("left out copy.txt: a copy of chat.txt, which is read already");
    renameSync(join(cwd, "in", "copy.txt"), join(cwd, "renamed.txt"));
    expect(brief(await memorize(cwd, "renamed.txt"))).toMatchObject({ version: 1, chunks: 0 });
  });

  test("two different files of one name are two documents", async () => {
    const cwd = withChat();
    mkdirSync(join(cwd, "other"));
    writeFileSync(join(cwd, "other", "chat.txt"), chat(11, 13));
    await memorize(cwd, "in/chat.txt");
    expect(brief(await memorize(cwd, "other/chat.txt"))).toMatchObject({ version: 2, chunks: 3 });
    // both are known now: neither is read again, and each grows on its own
    expect(brief(await memorize(cwd, "in/chat.txt"))).toMatchObject({ version: 2, chunks: 0 });
    appendFileSync(join(cwd, "in", "chat.txt"), chat(4, 4));
    expect(brief(await memorize(cwd, "in/chat.txt"))).toMatchObject({ version: 3, chunks: 1 });
    expect(brief(await memorize(cwd, "other/chat.txt"))).toMatchObject({ version: 3, chunks: 0 });
    // nothing that Ben said on another day was taken for said
    expect(
      chunkTexts(cwd)
        .join("")
        .match(/Ben: ok/g),
    ).toHaveLength(7);
  });

  test("new files beside old ones", async () => {
    const cwd = withChat();
    await memorize(cwd, "in");
    writeFileSync(join(cwd, "in", "a.md"), "# Plan\n\nThe boat leaves on 2024-05-01.\n");
    expect(brief(await memorize(cwd, "in"))).toEqual({ version: 2, chunks: 1, documents: ["a.md"] });
  });
});

describe("what memorize is given", () => {
  test("standard input, and another day's standard input", async () => {
    const cwd = withChat();
    const first = await runCli(["memorize", "-", "--memory", "m", "--json"], { cwd, stdin: chat(1, 2) });
    expect(brief(first)).toMatchObject({ version: 1, chunks: 2, documents: ["stdin"] });
    const second = await runCli(["memorize", "-", "--memory", "m", "--json"], { cwd, stdin: chat(8, 9) });
    expect(brief(second)).toMatchObject({ version: 2, chunks: 2 });
  });

  test("a folder with bad files: they are named, the others are read", async () => {
    const cwd = withChat();
    writeFileSync(
      join(cwd, "in", "broken.txt"),
      Buffer.from([...Buffer.from("caf\u00e9 and more text, "), 0xff, 0x41]),
    );
    writeFileSync(
      join(cwd, "in", "image.png"),
      Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]),
    );
    const ran = await memorize(cwd, "in");
    expect(ran.code).toBe(0);
    const { refused, chunks } = json<MemorizeJson>(ran);
    expect(chunks).toBe(3);
    expect(refused.map(({ name }) => name)).toEqual(["broken.txt", "image.png"]);
    expect(ran.stderr).toMatch(/left out broken\.txt: byte 0xFF at offset 21 .*--lossy/);
    expect(brief(await memorize(cwd, "in", "--lossy"))).toMatchObject({ version: 2, documents: ["broken.txt"] });
  });

  test.each([
    [["nope.txt"], 3, "nope.txt does not exist"],
    [["empty"], 3, "expected at least one file to read, found none"],
    [["broken.txt"], 3, "byte 0xFF at offset 21"],
    [["broken.txt", "--encoding", "klingon"], 2, "klingon"],
    [["chat.txt", "--kind", "poem"], 2, "--kind: expected one of text, markdown, messages"],
    [["chat.txt", "--chunk-tokens", "3"], 2, '--chunk-tokens: expected at least 16, got "3"'],
    [["chat.txt", "--memory", ""], 2, "--memory needs a value"],
  ])("%j ends with exit code %i: %s", async (args, code, message) => {
    const cwd = mkdtempSync(join(parent, "cwd-"));
    mkdirSync(join(cwd, "empty"));
    writeFileSync(join(cwd, "chat.txt"), chat(1, 1));
    writeFileSync(join(cwd, "broken.txt"), Buffer.from([...Buffer.from("caf\u00e9 and more text, "), 0xff, 0x41]));
    const ran = await runHere(["memorize", "--memory", "m", ...args], { cwd });
    expect(ran).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
    expect(existsSync(join(cwd, ".umagraph"))).toBe(false);
  });

  test("where nothing in a folder can be read, the exit code says so", async () => {
    const cwd = mkdtempSync(join(parent, "cwd-"));
    mkdirSync(join(cwd, "in"));
    writeFileSync(join(cwd, "in", "broken.txt"), Buffer.from([0x41, 0x42, 0xff, 0xfe, 0xfd, 0x0a, 0xc3]));
    const ran = await runHere(["memorize", "in", "--memory", "m"], { cwd });
    expect(ran).toMatchObject({
      code: 3,
      stdout: "nothing could be read\n",
      stderr: expect.stringContaining("left out broken.txt"),
    });
  });

  test("dates that could be read either way are read as --date-order says", async () => {
    const cwd = withChat(2);
    await memorize(cwd, "in", "--date-order", "month-first");
    expect(chunkTexts(cwd)[1]).toMatch(/^\[2024-02-03 10:15\] Ada/);
  });

  test("--verbose tells what each session did to the bank", async () => {
    const cwd = withChat(2);
    const ran = await runHere(["memorize", "in", "--memory", "m", "--verbose"], { cwd });
    expect(ran.stderr).toMatch(/chunk 2\n {2}\+ .*\n {6}.*town number 2/);
    expect(ran.stdout).toMatch(/^memory "m" version 1: 2 chunks read from 1 document, 2 entries\ncore: /);
  });
});

describe("asking, from another process", () => {
  const cwd = withChat();

  test("gives an answer with the entries and chunks that it rests on", async () => {
    await memorize(cwd, "in");
    const ran = await runCli(["ask", "--memory", "m", "Where did Ada move on 2 March?", "--json"], { cwd });
    expect(ran.code).toBe(0);
    const answer = json<{ answer: string; sources: { entries: object[]; chunks: object[] } }>(ran);
    expect(answer).toMatchObject({
      question: "Where did Ada move on 2 March?",
      text: expect.stringContaining("[2024-03-02] Ada: I have moved to town number 2."),
      problem: null,
      memory: { name: "m", version: 1 },
      policy: { name: "extractive", scripted: true },
    });
    expect(answer.sources.entries).toContainEqual(
      expect.objectContaining({
        content: expect.stringContaining("town number 2"),
        chunks: [{ chunk: 2, document: "chat.txt" }],
      }),
    );
    expect(answer.sources.chunks).toContainEqual(
      expect.objectContaining({ chunk: 2, document: "chat.txt", excerpt: expect.stringContaining("town number 2") }),
    );
  });

  test("in words that name the sources; an earlier version answers as it was", async () => {
    appendFileSync(join(cwd, "in", "chat.txt"), chat(4, 4));
    await memorize(cwd, "in");
    const ask = (...more: string[]) =>
      runHere(["ask", "--memory", "m", "Which town number on 4 March?", ...more], { cwd });
    const now = await ask();
    expect(now.stdout).toContain("town number 4");
    expect(now.stdout).toMatch(
      /\nfrom:\n( {2}entry ".*" \(chunk \d of chat\.txt\)\n)* {2}entry "2024-03-04 .*" \(chunk 4 of chat\.txt\)/,
    );
    expect((await ask("--version", "1")).stdout).not.toContain("town number 4");
    expect(await ask("--version", "9")).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('no memory "m" at version 9'),
    });
  });

  test("an unknown memory: those that there are are named; where there are none, how to make one", async () => {
    expect(await runHere(["ask", "--memory", "trip", "Who?"], { cwd })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('there is no memory "trip" in namespace default\n  memories here: m\n'),
    });
    const elsewhere = mkdtempSync(join(parent, "cwd-"));
    expect(await runHere(["ask", "--memory", "trip", "Who?"], { cwd: elsewhere })).toMatchObject({
      code: 3,
      stderr: expect.stringContaining("umagraph memorize <file> --memory <name>"),
    });
    expect(readdirSync(elsewhere)).toEqual([]);
  });
});

describe("umagraph memory", () => {
  const cwd = withChat();
  const memory = (...args: string[]) => runHere(["memory", ...args], { cwd });

  test("list, show and history", async () => {
    expect(json(await memory("list", "--json"))).toEqual([]);
    await memorize(cwd, "in");
    appendFileSync(join(cwd, "in", "chat.txt"), chat(4, 4));
    await memorize(cwd, "in");
    expect(json(await memory("list", "--json"))).toMatchObject([{ id: "m", namespace: ["default"], version: 2 }]);
    expect(await show(cwd)).toMatchObject({ version: 2, chunks: 4, unread: 0, documents: ["chat.txt"] });
    expect(json(await memory("show", "m", "--version", "1", "--json"))).toMatchObject({ version: 1, chunks: 3 });
    expect(json(await memory("history", "m", "--json"))).toMatchObject([
      { version: 1, note: "extractive: 3 of 3 chunks" },
      { version: 2, note: "extractive: 1 of 1 chunks" },
    ]);
    expect((await memory("show", "m")).stdout).toMatch(
      /^memory "m" version 2: \d+ entries, 4 chunks, 1 documents\ncore: /,
    );
  });

  test("export, import under another name, and back into an empty place: the same memory with its history", async () => {
    const exported = (await memory("export", "m")).stdout;
    expect(exported.trimEnd().split("\n")).toHaveLength(3);
    writeFileSync(join(cwd, "m.jsonl"), exported);
    expect(await memory("import", "m.jsonl")).toMatchObject({ code: 5 });
    expect(await memory("import", "m.jsonl", "--as", "copy")).toMatchObject({
      code: 0,
      stdout: 'imported "copy" at version 2\n',
    });
    const { name: _, ...copy } = await show(cwd, "copy");
    const { name: __, ...original } = await show(cwd);
    expect(copy).toEqual(original);
    const elsewhere = mkdtempSync(join(parent, "cwd-"));
    const piped = await runCli(["memory", "import", "-"], { cwd: elsewhere, stdin: exported });
    expect(piped).toMatchObject({ code: 0, stdout: 'imported "m" at version 2\n' });
    expect((await runHere(["memory", "export", "m"], { cwd: elsewhere })).stdout).toBe(exported);
  });

  test.each([
    ["prose", "this is no export\n", /garbage:1: expected one JSON value per line/],
    ["another file's JSON", '{"a":1}\n{"b":2}\n', /memory export/],
    ["nothing", "", /memory export|export/],
    ["binary", "\u0000\u0001\u0002", /garbage:1/],
  ])("import of garbage (%s) is an input error and imports nothing", async (_, text, message) => {
    writeFileSync(join(cwd, "garbage"), text);
    const ran = await memory("import", "garbage", "--as", "g");
    expect(ran.code).toBe(3);
    expect(ran.stderr).toMatch(message);
    expect(json(await memory("list", "--json"))).toHaveLength(2);
  });

  test("import of a cut export imports nothing", async () => {
    const exported = (await memory("export", "m")).stdout;
    for (const length of [
      exported.length - 2,
      exported.indexOf("\n") + 1,
      exported.lastIndexOf("\n", exported.length - 2) + 1,
    ]) {
      writeFileSync(join(cwd, "garbage"), exported.slice(0, length));
      expect((await memory("import", "garbage", "--as", "g")).code).toBe(3);
    }
    expect(json(await memory("list", "--json"))).toHaveLength(2);
  });

  test("delete asks for --yes, then deletes for good", async () => {
    expect(await memory("delete", "copy")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("umagraph memory delete copy --yes"),
    });
    expect(await memory("delete", "copy", "--yes")).toMatchObject({ code: 0, stdout: 'deleted "copy"\n' });
    expect(await memory("show", "copy")).toMatchObject({ code: 3 });
    expect(await memory("delete", "copy", "--yes")).toMatchObject({ code: 3 });
  });

  test("namespaces do not see each other", async () => {
    await runHere(["memorize", "in", "--memory", "m", "--namespace", "team/a", "--quiet"], { cwd });
    expect(json(await memory("list", "--namespace", "team", "--json"))).toEqual([]);
    expect(json(await memory("list", "--namespace", "team", "--recursive", "--json"))).toMatchObject([
      { namespace: ["team", "a"], version: 1 },
    ]);
    expect(await memory("show", "m", "--namespace", "team/ab")).toMatchObject({ code: 3 });
    expect(json(await memory("show", "m", "--json"))).toMatchObject({ version: 2 });
  });
});
