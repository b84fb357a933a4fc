import { appendFileSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as zlib from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { openRecordLog, packRecordLog, readRecordLog, readRecords } from "../../rollouts/record-log.ts";
import { aRecord } from "./a-record.ts";

const parent = mkdtempSync(join(tmpdir(), "umagraph-record-log-"));
afterAll(() => rmSync(parent, { recursive: true }));
const fresh = () => mkdtempSync(join(parent, "run-"));

const prompt = "You keep a memory of a long stream. ".repeat(20);
const observation = "entry after entry ".repeat(30);

/** With a text that many records share, and an observation that is on its call too. */
const recordAt = (position: number, more: Partial<SessionRecord> = {}) =>
  aRecord(
    { context: "c", trajectory: 0, position },
    {
      messages: [
        { role: "system", text: prompt },
        { role: "user", text: `chunk ${position}, größer 🙂` },
        { role: "assistant", text: "", calls: [{ id: "call-0", name: "memory_list", args: {} }] },
        { role: "tool", text: observation, callId: "call-0" },
      ],
      calls: [
        {
          ...{ turn: 0, id: "call-0", name: "memory_list", args: {}, verdict: "valid", repaired: false },
          ...{ observation, tokens: 30, ms: 1, writes: [], reads: [] },
        },
      ],
      ...more,
    },
  );
const records = [0, 1, 2, 3].map((position) => recordAt(position));

async function write(folder: string, given: readonly SessionRecord[]): Promise<void> {
  const log = openRecordLog(folder);
  for (const record of given) log.append(record);
  await log.close();
}

async function written(given: readonly SessionRecord[] = records): Promise<string> {
  const folder = fresh();
  await write(folder, given);
  return folder;
}
const linesOf = (folder: string) => readFileSync(join(folder, "records.jsonl"), "utf8").split("\n").slice(0, -1);

describe("a log of sessions", () => {
  it("gives back what was written, and holds a text that comes again only once", async () => {
    const folder = await written();
    expect(readRecords(folder)).toEqual(records);
    const bytes = readFileSync(join(folder, "records.jsonl"), "utf8");
    expect(bytes).not.toContain("You keep a memory");
    expect(bytes.split(observation)).toHaveLength(1 + records.length);
    expect(readFileSync(join(folder, "texts.jsonl"), "utf8").split("\n")).toHaveLength(1 + 1);
  });

  it("has each session in the file when append returns: it can be read while it grows", () => {
    const folder = fresh();
    const log = openRecordLog(folder);
    for (const [at, record] of records.entries()) {
      log.append(record);
      expect(readRecords(folder)).toEqual(records.slice(0, at + 1));
    }
    return log.close();
  });

  it("torn anywhere in its last line loses that session only, and the next writer goes on after it", async () => {
    const whole = await written();
    const bytes = readFileSync(join(whole, "records.jsonl"));
    const last = bytes.lastIndexOf(0x0a, bytes.length - 2) + 1;
    for (const length of [last, last + 1, Math.floor((last + bytes.length) / 2), bytes.length - 1]) {
      const folder = fresh();
      copyFileSync(join(whole, "texts.jsonl"), join(folder, "texts.jsonl"));
      writeFileSync(join(folder, "records.jsonl"), bytes.subarray(0, length));
      expect(readRecords(folder)).toEqual(records.slice(0, 3));
      await write(folder, [records[3]!]);
      expect(readRecords(folder)).toEqual(records);
    }
  });

  it("with a line that stands there twice counts it once, also when the keys are in another order", async () => {
    const folder = await written();
    const [first, second] = linesOf(folder);
    const turned = Object.fromEntries(Object.entries(JSON.parse(second!) as object).reverse());
    appendFileSync(join(folder, "records.jsonl"), `${first}\n${JSON.stringify(turned)}\n`);
    expect(readRecords(folder)).toEqual(records);
  });

  it.each([
    [
      "two different records of one session",
      () => recordAt(1, { answer: "another" }),
      /two different records of c\/t0\/m1/,
    ],
    [
      "a session of another run",
      () => recordAt(7, { run: "b-run" }),
      /c\/t0\/m7 is a session of the run "b-run", not of "a-run"/,
    ],
    ["a later version of the schema", () => ({ ...recordAt(7), v: 99 }) as never, /schema version 99/],
    ["a version that is no number", () => ({ ...recordAt(7), v: "2" }) as never, /schema version 2/],
  ])("with %s is refused with the reason", async (_, odd, message) => {
    const folder = await written([...records, odd()]);
    expect(() => readRecords(folder)).toThrow(message);
  });

  it("of a run with another name is refused from its first record on, when the name is known", async () => {
    const folder = await written();
    expect(readRecords(folder, "a-run")).toHaveLength(4);
    expect(() => readRecords(folder, "mine")).toThrow(/c\/t0\/m0 is a session of the run "a-run", not of "mine"/);
  });

  it("with a broken line in the middle says where", async () => {
    const folder = await written();
    const lines = linesOf(folder);
    lines[1] = lines[1]!.slice(0, 40);
    writeFileSync(join(folder, "records.jsonl"), `${lines.join("\n")}\n`);
    expect(() => readRecords(folder)).toThrow(/records\.jsonl:2: expected one JSON value per line/);
  });

  it("that has lost its texts says so in their place", async () => {
    const folder = await written();
    rmSync(join(folder, "texts.jsonl"));
    expect(readRecords(folder)[0]!.messages[0]!.text).toContain("texts.jsonl has lost this text");
  });

  it("of nothing is empty", () => {
    expect(readRecordLog(fresh())).toEqual({ records: [], voided: [] });
  });
});

describe.each([
  ["gzip", ".gz"],
  ["zstd", ".zst"],
] as const)("a log packed with %s", (packing, ending) => {
  const known = packing === "gzip" || "zstdCompressSync" in zlib;

  it.skipIf(!known)("reads as before, takes new sessions beside it, and can be packed again", async () => {
    const folder = await written(records.slice(0, 2));
    packRecordLog(folder, packing);
    expect(existsSync(join(folder, "records.jsonl"))).toBe(false);
    expect(readRecords(folder)).toEqual(records.slice(0, 2));
    await write(folder, records.slice(2, 3));
    expect(readRecords(folder)).toEqual(records.slice(0, 3));
    // a text that is packed away is not written again
    expect(readFileSync(join(folder, "texts.jsonl"), "utf8")).toBe("");
    packRecordLog(folder, packing);
    await write(folder, records.slice(3));
    expect(readRecords(folder)).toEqual(records);
    packRecordLog(folder, packing);
    packRecordLog(folder, packing);
    expect(readRecords(folder)).toEqual(records);
  });

  it.skipIf(!known)(
    "killed between the packed file and the removal of the other holds lines twice, and none is lost",
    async () => {
      const folder = await written();
      const plain = join(folder, "records.jsonl");
      copyFileSync(plain, join(folder, "kept"));
      packRecordLog(folder, packing);
      copyFileSync(join(folder, "kept"), plain);
      expect(readRecords(folder)).toEqual(records);
      packRecordLog(folder, packing);
      expect(readRecords(folder)).toEqual(records);
    },
  );

  it.skipIf(!known)("that is damaged is refused with its name", async () => {
    const folder = await written();
    packRecordLog(folder, packing);
    const path = join(folder, `records.jsonl${ending}`);
    writeFileSync(path, readFileSync(path).subarray(0, 60));
    expect(() => readRecords(folder)).toThrow(new RegExp(`records\\.jsonl\\${ending} is not what ${packing} wrote`));
  });

  it.skipIf(known)("is refused where this Node does not know it", async () => {
    const folder = await written();
    expect(() => packRecordLog(folder, packing)).toThrow(/this Node .* has no zstd/);
    expect(readRecords(folder)).toEqual(records);
  });
});
