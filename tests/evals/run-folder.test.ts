import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import {
  createRunFolder,
  openRunFolder,
  readRecordLog,
  readRecords,
  writeScores,
  writeWhole,
} from "../../evals/run-folder.ts";
import { openRecordLog } from "../../rollouts/record-log.ts";
import { memorySession, qaSession } from "./reports/invented-run.ts";
import { wordsConfig } from "./run-words.ts";

let parent: string;
const path = () => join(parent, "runs", "one");

beforeEach(() => {
  parent = mkdtempSync(join(tmpdir(), "umagraph-folder-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(parent, { recursive: true });
});

describe("making a run folder", () => {
  test("writes the config and nothing else, folders above included", () => {
    createRunFolder(path(), wordsConfig());
    expect(readdirSync(path())).toEqual(["config.json"]);
    expect(openRunFolder(path())).toEqual({ path: path(), config: wordsConfig() });
  });

  test("an existing run is never overwritten", () => {
    createRunFolder(path(), wordsConfig({ name: "first" }));
    expect(() => createRunFolder(path(), wordsConfig({ name: "second" }))).toThrow(
      expect.objectContaining({ code: "config", fix: expect.stringContaining("--resume") }),
    );
    expect(openRunFolder(path()).config.name).toBe("first");
  });

  test("a run that another process has made in this very moment is not overwritten either", () => {
    const real = fs.writeFileSync;
    vi.spyOn(fs, "writeFileSync").mockImplementationOnce(((file: string, text: string, options: object) => {
      real(file, text, options);
      real(join(path(), "config.json"), JSON.stringify(wordsConfig({ name: "theirs" })));
    }) as never);
    syncBuiltinESMExports();
    expect(() => createRunFolder(path(), wordsConfig({ name: "ours" }))).toThrow(/already holds a run/);
    expect(openRunFolder(path()).config.name).toBe("theirs");
    expect(readdirSync(path())).toEqual(["config.json"]);
  });

  test.each([
    [
      "a folder with something else in it",
      () => writeFileSync(join(path(), "thesis.tex"), "x"),
      /not empty \(it holds thesis\.tex\)/,
    ],
    ["a folder that has lost its config", () => writeFileSync(join(path(), "records.jsonl"), ""), /not empty/],
  ])("%s is left alone", (_, fill, message) => {
    mkdirSync(path(), { recursive: true });
    fill();
    const before = readdirSync(path());
    expect(() => createRunFolder(path(), wordsConfig())).toThrow(message);
    expect(readdirSync(path())).toEqual(before);
  });

  test("a file in its place is named", () => {
    writeFileSync(join(parent, "file"), "x");
    expect(() => createRunFolder(join(parent, "file"), wordsConfig())).toThrow(
      expect.objectContaining({ code: "config" }),
    );
    expect(() => createRunFolder(join(parent, "file", "below"), wordsConfig())).toThrow(
      expect.objectContaining({ code: "store" }),
    );
  });

  test("on a full disk leaves nothing behind", () => {
    mkdirSync(join(parent, "runs"));
    vi.spyOn(fs, "writeFileSync").mockImplementation(() => {
      throw Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" });
    });
    syncBuiltinESMExports();
    expect(() => createRunFolder(path(), wordsConfig())).toThrow(
      expect.objectContaining({ code: "store", message: expect.stringContaining("ENOSPC") }),
    );
    expect(readdirSync(join(parent, "runs"))).toEqual([]);
  });
});

describe("opening a run folder", () => {
  test.each([
    ["no run", null, /is not a run folder/],
    ["broken JSON", "{", /config\.json: expected the JSON/],
    ["another shape", '{"v":1}', /config\.json: .*name/],
    ["a version of the future", JSON.stringify({ ...wordsConfig(), v: 2 }), /config\.json: /],
  ])("%s is an input error with the file's name", (_, text, message) => {
    mkdirSync(path(), { recursive: true });
    if (text !== null) writeFileSync(join(path(), "config.json"), text);
    expect(() => openRunFolder(path())).toThrow(message);
  });
});

describe("the record log", () => {
  const long = "a long prompt ".repeat(40);
  const session = (context: string) =>
    qaSession(context, "1", {
      messages: [
        { role: "system", text: long },
        { role: "user", text: `short, of ${context}` },
      ],
    });

  test("gives records back whole, and writes a repeated long text once", () => {
    mkdirSync(path(), { recursive: true });
    const records = [session("c1"), memorySession("c1", 0), session("c2")];
    for (const part of [records.slice(0, 2), records.slice(2)]) {
      const log = openRecordLog(path());
      for (const record of part) log.append(record);
      void log.close();
    }
    expect(readRecords(path())).toEqual(records);
    const texts = readFileSync(join(path(), "texts.jsonl"), "utf8");
    expect(texts.split(long)).toHaveLength(2);
    expect(readFileSync(join(path(), "records.jsonl"), "utf8")).not.toContain(long);
  });

  test("says where a text is lost, instead of showing nothing", () => {
    mkdirSync(path(), { recursive: true });
    const log = openRecordLog(path());
    log.append(session("c1"));
    void log.close();
    rmSync(join(path(), "texts.jsonl"));
    expect(readRecords(path())[0]!.messages[0]!.text).toMatch(/^\(texts\.jsonl has lost this text, [0-9a-f]{16}\)$/);
  });

  test("of another schema version is refused with a reason", () => {
    mkdirSync(path(), { recursive: true });
    writeFileSync(join(path(), "records.jsonl"), '{"v":9,"id":"x"}\n');
    expect(() => readRecords(path())).toThrow(/schema version 9; this umagraph reads 1 to 2/);
  });

  test("knows which attempts count", () => {
    mkdirSync(path(), { recursive: true });
    const log = openRecordLog(path());
    for (const attempt of [1, 2]) log.append(qaSession("c1", "1", { attempt }));
    log.append(qaSession("c1", "2"));
    void log.close();
    writeFileSync(
      join(path(), "retries.jsonl"),
      '{"started":"","attempts":{"c1/t0/q1":2}}\n{"started":"","attempts":{"c1/t0/q2":2}}\n',
    );
    const { records, voided } = readRecordLog(path());
    expect(records.map(({ id, attempt }) => [id, attempt])).toEqual([["c1/t0/q1", 2]]);
    expect(voided.map(({ id, attempt }) => [id, attempt])).toEqual([
      ["c1/t0/q1", 1],
      ["c1/t0/q2", 1],
    ]);
  });
});

describe("whole files", () => {
  test("replace the old one, or leave it and no trace", () => {
    mkdirSync(path(), { recursive: true });
    writeWhole(join(path(), "report.html"), "old");
    vi.spyOn(fs, "renameSync").mockImplementationOnce(() => {
      throw new Error("EIO: i/o error");
    });
    syncBuiltinESMExports();
    expect(() => writeWhole(join(path(), "report.html"), "new")).toThrow(/cannot write .*report\.html: EIO/);
    expect(readdirSync(path())).toEqual(["report.html"]);
    expect(readFileSync(join(path(), "report.html"), "utf8")).toBe("old");
    writeWhole(join(path(), "report.html"), "new");
    expect(readFileSync(join(path(), "report.html"), "utf8")).toBe("new");
  });

  test("scores are rewritten as a whole", () => {
    mkdirSync(path(), { recursive: true });
    const line = {
      session: "s",
      context: "c",
      question: "q",
      category: "x",
      prediction: "p",
      gold: "g",
      metrics: { em: 1 },
    };
    writeScores(path(), [line, line]);
    writeScores(path(), [line]);
    expect(readFileSync(join(path(), "scores.jsonl"), "utf8")).toBe(`${JSON.stringify(line)}\n`);
  });
});
