import fs, { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { openJsonl, readJsonl } from "../../base/jsonl.ts";
import { rng } from "../../base/rng.ts";

let folder: string;
const path = () => join(folder, "log.jsonl");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "umagraph-jsonl-"));
});
afterEach(() => {
  restore();
  rmSync(folder, { recursive: true });
});

/** Named imports of node:fs see a spy only when told to. */
function replace<Name extends "fsyncSync" | "writeSync">(name: Name, by: (typeof fs)[Name]): void {
  vi.spyOn(fs, name).mockImplementation(by as never);
  syncBuiltinESMExports();
}

function restore(): void {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
}

function append(...values: unknown[]): void {
  const log = openJsonl(path());
  for (const value of values) log.append(value);
  log.close();
}

describe("append-only JSON lines", () => {
  test("come back as they were, one a line, whatever the texts hold", () => {
    const values = [
      { text: 'line\nbreak\u2028 "quotes" \u0000' },
      [1, null],
      "naïve 日本語 👩‍👩‍👧",
      { lone: "\ud800" },
      {},
    ];
    append(...values);
    append("a second writer goes on");
    expect(readJsonl(path())).toEqual({ values: [...values, "a second writer goes on"], torn: false });
    expect(readFileSync(path(), "utf8").trimEnd().split("\n")).toHaveLength(6);
  });

  test("a file that is not there reads as an empty one", () => {
    expect(readJsonl(path())).toEqual({ values: [], torn: false });
  });

  test("lines longer than a reading piece, and characters across its border, are read whole", () => {
    const long = `${"x".repeat((1 << 20) - 5)}é👍${"ü".repeat(1 << 20)}`;
    append({ long }, { short: 1 });
    expect(readJsonl(path()).values).toEqual([{ long }, { short: 1 }]);
  });

  test("a torn tail is dropped and reported at every length, and the next writer cuts it off", () => {
    append({ first: 1 });
    const whole = statSync(path()).size;
    const torn = Buffer.from(`${JSON.stringify({ second: "ü👍" })}\n`);
    const random = rng(1, "torn tails");
    for (const length of [1, torn.length - 1, ...Array.from({ length: 6 }, () => random.int(2, torn.length - 2))]) {
      appendFileSync(path(), torn.subarray(0, length));
      expect(readJsonl(path())).toEqual({ values: [{ first: 1 }], torn: true });
      openJsonl(path()).close();
      expect(statSync(path()).size).toBe(whole);
    }
    append({ second: 2 });
    expect(readJsonl(path()).values).toEqual([{ first: 1 }, { second: 2 }]);
  });

  test("a torn tail longer than a reading piece is cut too, and so is a file that is nothing else", () => {
    append("kept");
    appendFileSync(path(), `"${"y".repeat(3 << 20)}`);
    append("next");
    expect(readJsonl(path()).values).toEqual(["kept", "next"]);
    writeFileSync(path(), `{"never": "finished`);
    append("fresh");
    expect(readJsonl(path()).values).toEqual(["fresh"]);
  });

  test("a broken line in the middle is an error that names file and line", () => {
    writeFileSync(path(), '{"a":1}\n{"b":\n{"c":3}\n');
    expect(() => readJsonl(path())).toThrow(/log\.jsonl:2: expected one JSON value per line/);
  });

  test("each line is synced to the disk before append returns", () => {
    const synced: number[] = [];
    const real = fs.fsyncSync;
    replace("fsyncSync", (fd) => {
      synced.push(fs.fstatSync(fd).size);
      real(fd);
    });
    append({ n: 1 }, { n: 2 });
    expect(synced).toEqual([8, 16]);
  });

  test("a write that fails is undone, is an error that says what to do, and ends the writer", () => {
    const log = openJsonl(path());
    log.append({ n: 1 });
    const real = fs.writeSync;
    replace("writeSync", ((fd: number, line: Buffer, from: number) => {
      if (from > 0) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
      return real(fd, line.subarray(0, 5));
    }) as never);
    expect(() => log.append({ n: 2 })).toThrow(/cannot write to .*log\.jsonl: ENOSPC/);
    restore();
    expect(readFileSync(path(), "utf8")).toBe('{"n":1}\n');
    // there is room again, but a log with a hole in it must not look whole
    expect(() => log.append({ n: 3 })).toThrow(expect.objectContaining({ code: "store" }));
    log.close();
    expect(readJsonl(path())).toEqual({ values: [{ n: 1 }], torn: false });
  });

  test.each([
    ["a folder stands in its place", () => fs.mkdirSync(path())],
    ["its folder is missing", () => rmSync(folder, { recursive: true })],
  ])("when %s, opening is a store error", (_, arrange) => {
    arrange();
    expect(() => openJsonl(path())).toThrow(expect.objectContaining({ code: "store" }));
    fs.mkdirSync(folder, { recursive: true });
  });
});
