import fs, { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { createRunFolder, readRecords } from "../../evals/run-folder.ts";
import { wordKeeper } from "./invented-benchmark.ts";
import { resultsOf, resumeWords, runWords, wordsConfig } from "./run-words.ts";

let parent: string;
let whole: ReturnType<typeof resultsOf>;
let runs = 0;
const fresh = () => join(parent, `run-${++runs}`);

beforeAll(async () => {
  parent = mkdtempSync(join(tmpdir(), "umagraph-disk-"));
  const path = fresh();
  await runWords(path);
  whole = resultsOf(path);
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});
afterAll(() => rmSync(parent, { recursive: true }));

const noSpace = () => Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });

/** From the n-th such line on, half of it is written and the disk is full. */
function fillAfter(lines: number, begins: string): void {
  const real = fs.writeSync;
  let count = 0;
  let full = false;
  vi.spyOn(fs, "writeSync").mockImplementation(((fd: number, line: Buffer, from = 0) => {
    if (full) throw noSpace();
    if (from === 0 && line.toString("utf8", 0, begins.length) === begins && ++count > lines) {
      full = true;
      return real(fd, line.subarray(0, line.length >> 1));
    }
    return real(fd, line, from);
  }) as never);
  syncBuiltinESMExports();
}

describe("a disk that runs full", () => {
  test.each([
    ["records", '{"v":2'],
    ["texts", '{"ref"'],
    ["contexts", '{"id"'],
  ])(
    "while %s are written ends the run with one error, leaves only whole lines, and can be resumed",
    async (_, begins) => {
      const path = fresh();
      createRunFolder(path, wordsConfig());
      const policy = wordKeeper();
      fillAfter(begins === '{"id"' ? 1 : 4, begins);
      await expect(resumeWords(path, { policy, concurrency: 4 })).rejects.toMatchObject({
        code: "store",
        message: expect.stringContaining("ENOSPC"),
        fix: expect.stringContaining("free some space"),
      });
      vi.restoreAllMocks();
      syncBuiltinESMExports();
      // the others in flight were cut short, not run to the end for nothing
      expect(policy.asked.length).toBeLessThan(30);
      for (const name of fs.readdirSync(path).filter((file) => file.endsWith(".jsonl")))
        expect(readFileSync(join(path, name), "utf8"), name).toMatch(/(^|\n)$/);
      expect(fs.existsSync(join(path, "lock"))).toBe(false);
      const kept = readRecords(path).length;
      expect(await resumeWords(path)).toMatchObject({ complete: true, resumed: kept, done: 27 });
      expect(resultsOf(path)).toEqual(whole);
    },
  );

  test("while the scores are written leaves the old scores and every record", async () => {
    const path = fresh();
    createRunFolder(path, wordsConfig());
    const real = fs.writeFileSync;
    vi.spyOn(fs, "writeFileSync").mockImplementation(((file: string, text: string, options: object) => {
      if (!String(file).includes("scores")) return real(file, text, options);
      real(file, text.slice(0, 10), options);
      throw noSpace();
    }) as never);
    syncBuiltinESMExports();
    await expect(resumeWords(path)).rejects.toThrow(/cannot write .*scores\.jsonl: ENOSPC/);
    expect(fs.readdirSync(path).sort()).toEqual(["config.json", "contexts.jsonl", "records.jsonl", "texts.jsonl"]);
    expect(readRecords(path)).toHaveLength(27);
  });
});
