import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { UmaError } from "../../../base/errors.ts";
import { readInput } from "../../../memory/ingest/read-input.ts";
import { linesOf, textOf } from "./reading.ts";

const household = join(import.meta.dirname, "../../fixtures/ingest/household");
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "umagraph-ingest-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const put = (name: string, content: string | Uint8Array) => {
  mkdirSync(join(folder, name, ".."), { recursive: true });
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};
const names = (result: { documents: readonly { name: string }[] }) => result.documents.map(({ name }) => name);
async function failure(run: Promise<unknown>): Promise<UmaError> {
  const thrown = await run.then(
    () => null,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(UmaError);
  return thrown as UmaError;
}

describe("a folder with a bit of everything", () => {
  it("gives its documents in a fixed order, each of its own kind, and a reason for what cannot be read", async () => {
    const { documents, refused } = await readInput([household]);
    const table = documents.map(({ name, kind, encoding, sessions }) => [
      name,
      kind,
      encoding,
      sessions.map((one) => one.length),
    ]);
    expect(table).toEqual([
      ["assistant.jsonl", "messages", "utf-8", [2]],
      ["calendar.ics", "calendar", "utf-8", [1]],
      ["chat.txt", "chat", "utf-8", [3, 2]],
      ["letter.txt", "text", "windows-1251", [1]],
      ["mail/offer.eml", "mail", "utf-8", [1]],
      ["notes.md", "markdown", "utf-8", [2, 2]],
      ["router.syslog", "log", "utf-8", [2, 1]],
    ]);
    expect(refused).toEqual([
      { name: "broken.txt", reason: expect.stringMatching(/^byte 0xFF at offset 55 is not UTF-8, .* --lossy$/) },
      { name: "lamp.png", reason: "a PNG image, not text; leave it out" },
    ]);
  });

  it("says the same the second time", async () => {
    expect(await readInput([household])).toEqual(await readInput([household]));
  });

  it("holds what people wrote", async () => {
    const { documents } = await readInput([household]);
    const text = Object.fromEntries(documents.map((document) => [document.name, textOf(document)]));
    expect(text["chat.txt"]).toContain("[2024-05-13 18:06] Idris: nice!\nfor the hall?\n");
    expect(text["letter.txt"]).toContain("Потом начался дождь, и Юля сказала");
    expect(text["mail/offer.eml"]).toContain("[2024-05-14 11:20] Vera Kuře: Your new désk\n");
    expect(text["mail/offer.eml"]).toContain("The desk costs 310 € and arrives on 3 June.\n\n[attachment: desk.png]\n");
    expect(text["calendar.ics"]).toBe("[2024-05-17 08:30] Plumber\ntime zone: UTC\nwhere: Kitchen, ground floor\n");
  });

  it("lossy reads the damaged file too", async () => {
    const { documents } = await readInput([household], { lossy: true });
    const broken = documents.find(({ name }) => name === "broken.txt")!;
    expect(textOf(broken)).toContain("said Zoë.\nAnd the \ufffdhinges too.\n");
    expect(broken.notes).toEqual(["1 undecodable byte sequence(s) became U+FFFD"]);
  });
});

describe("which files are read", () => {
  it("hidden files and node_modules are passed over, names are sorted by code unit", async () => {
    for (const name of ["b.txt", "B.txt", "a/z.txt", "a/.git/x", ".env", "node_modules/p/readme.md", "a.txt"])
      put(name, "x\n");
    expect(names(await readInput([folder]))).toEqual(["B.txt", "a/z.txt", "a.txt", "b.txt"]);
  });

  it("a hidden file that is named is read", async () => {
    expect(names(await readInput([put(".notes", "x\n")]))).toEqual([".notes"]);
  });

  it("link loops end, every file is read once, links out of the folder are not followed", async () => {
    put("in/a.txt", "x\n");
    const outside = put("secret.txt", "y\n");
    symlinkSync("..", join(folder, "in/loop"));
    symlinkSync(".", join(folder, "in/self"));
    symlinkSync("a.txt", join(folder, "in/same.txt"));
    symlinkSync(outside, join(folder, "in/out.txt"));
    symlinkSync("gone", join(folder, "in/broken"));
    const { documents, refused } = await readInput([join(folder, "in")]);
    expect(documents.map(({ name }) => name)).toEqual(["a.txt"]);
    expect(Object.fromEntries(refused.map(({ name, reason }) => [name, reason]))).toEqual({
      broken: "a link that cannot be followed (ENOENT)",
      loop: "a link that leads out of the folder; name its target to read it",
      "out.txt": "a link that leads out of the folder; name its target to read it",
      "same.txt": "a link to something that is read already",
      self: "a link to something that is read already",
    });
  });

  it.skipIf(process.getuid?.() === 0)("a folder or file without permission is reported", async () => {
    put("ok.txt", "x\n");
    chmodSync(put("no.txt", "y\n"), 0o000);
    const { documents, refused } = await readInput([folder]);
    expect(documents).toHaveLength(1);
    expect(refused[0]).toEqual({ name: "no.txt", reason: expect.stringContaining("EACCES") });
  });

  it("files of one name are told apart by the paths that were given; named twice is read once", async () => {
    const one = put("one/a.txt", "1\n");
    put("two/a.txt", "2\n");
    const result = await readInput([one, join(folder, "two"), one]);
    expect(names(result)).toEqual([`${folder}/one/a.txt`, `${folder}/two/a.txt`]);
  });

  it("bytes can be given under a name", async () => {
    const { documents } = await readInput([{ name: "stdin", bytes: Buffer.from("hello\n") }]);
    expect(documents[0]).toMatchObject({ name: "stdin", kind: "text", bytes: 6 });
  });

  it("progress is told before each file", async () => {
    put("a.txt", "x\n");
    put("b.txt", "x\n");
    const seen: unknown[] = [];
    await readInput([folder], { onFile: (...told) => seen.push(told) });
    expect(seen).toEqual([
      ["a.txt", 0, 2],
      ["b.txt", 1, 2],
    ]);
  });

  it("an aborted signal stops between files", async () => {
    expect((await failure(readInput([household], { signal: AbortSignal.abort() }))).code).toBe("cancelled");
  });
});

describe("what cannot be read at all", () => {
  it("a path that does not exist, also among others", async () => {
    const error = await failure(readInput([household, join(folder, "gone.txt")]));
    expect([error.code, error.message]).toEqual(["input", `${folder}/gone.txt does not exist`]);
  });

  it("a folder without files", async () => {
    const error = await failure(readInput([folder]));
    expect([error.code, error.message]).toEqual(["input", "expected at least one file to read, found none"]);
    expect((await failure(readInput([]))).code).toBe("input");
  });

  it("a single bad file is an error that names it, with the fix apart", async () => {
    const error = await failure(readInput([join(household, "broken.txt")]));
    expect(error.message).toMatch(/^broken\.txt: byte 0xFF at offset 55/);
    expect(error.fix).toContain("--lossy");
  });

  it("one bad file among several is reported", async () => {
    const { documents, refused } = await readInput([join(household, "broken.txt"), join(household, "chat.txt")]);
    expect([documents.length, refused.map(({ name }) => name)]).toEqual([1, ["broken.txt"]]);
  });

  it("an unknown encoding is a configuration error even in a folder", async () => {
    expect((await failure(readInput([household], { encoding: "nope" }))).code).toBe("config");
  });

  it("a file above the limit is refused before it is read", async () => {
    const path = put("big.txt", "");
    truncateSync(path, 300 * 1024 * 1024);
    const error = await failure(readInput([path]));
    expect(error.message).toBe("big.txt: larger than the limit of 256.0 MB for one file (300.0 MB)");
    expect(error.fix).toBe("split the file, or raise the limit");
    expect((await failure(readInput([put("small.txt", "12345")], { maxBytes: 4 }))).message).toContain(
      "larger than the limit",
    );
  });

  it.skipIf(!existsSync("/dev/zero"))("a device without end stops at the limit", async () => {
    expect((await failure(readInput(["/dev/zero"], { maxBytes: 100_000 }))).message).toContain("larger than the limit");
  });
});

describe("a Slack export folder", () => {
  it("names the speakers from users.json and says that it did", async () => {
    put("users.json", JSON.stringify([{ id: "U01ABCD", name: "ann", profile: { display_name: "Ann" } }]));
    put(
      "general/2024-01-01.json",
      JSON.stringify([{ type: "message", user: "U01ABCD", text: "hi", ts: "1704103200.000100" }]),
    );
    const { documents, refused } = await readInput([folder]);
    expect(documents.map(linesOf)).toEqual([["[2024-01-01 10:00] Ann: hi"]]);
    expect(refused).toEqual([{ name: "users.json", reason: expect.stringContaining("used to name the speakers") }]);
  });

  it("leaves any other users.json alone", async () => {
    put("users.json", JSON.stringify([{ id: 1, name: "ann" }]));
    expect(names(await readInput([folder]))).toEqual(["users.json"]);
  });
});
