import { type ChildProcess, fork } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { takeProcessLock } from "../../base/process-lock.ts";

let folder: string;
const path = () => join(folder, "lock");
const take = () => takeProcessLock(path(), "reading of this test");

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "umagraph-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** A process that takes locks when told to. */
let other: ChildProcess;
beforeAll(() => {
  other = fork(join(import.meta.dirname, "lock-holder.ts"), { execArgv: ["--import", "tsx"] });
});
afterAll(() => {
  other.kill("SIGKILL");
});

function otherTakes(): Promise<string> {
  return new Promise((resolve, reject) => {
    other.once("message", (message) => resolve(String(message)));
    other.once("error", reject);
    other.send(path());
  });
}

describe("the process lock", () => {
  test("is a conflict for a second taker, and free again after release", () => {
    const lock = take();
    expect(take).toThrow(expect.objectContaining({ code: "conflict" }));
    lock.release();
    expect(existsSync(path())).toBe(false);
    take().release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test("of a living process is refused with its number; of a killed one it is taken over", async () => {
    expect(await otherTakes()).toBe("held");
    expect(take).toThrow(`another reading of this test is running (process ${other.pid})`);
    const gone = new Promise((resolve) => other.once("exit", resolve));
    other.kill("SIGKILL");
    await gone;
    expect(existsSync(path())).toBe(true);
    const lock = take();
    expect(JSON.parse(readFileSync(path(), "utf8"))).toMatchObject({ pid: process.pid });
    lock.release();
    expect(readdirSync(folder)).toEqual([]);
  });

  test.runIf(process.platform === "linux")(
    "of another process that had our number, or a living one's, before is taken over",
    () => {
      for (const pid of [process.pid, process.ppid]) {
        writeFileSync(path(), JSON.stringify({ pid, host: hostname(), started: "12" }));
        take().release();
      }
    },
  );

  test("of another machine is never taken over: the message says what to do", () => {
    writeFileSync(path(), JSON.stringify({ pid: 1, host: "elsewhere", started: null }));
    expect(take).toThrow(
      expect.objectContaining({ code: "conflict", fix: expect.stringContaining(`delete ${path()}`) }),
    );
  });

  test("that is unreadable is respected while it may still be written, then taken over", () => {
    writeFileSync(path(), "");
    expect(take).toThrow(/has just started/);
    utimesSync(path(), new Date(0), new Date(0));
    take().release();
  });

  test("is not released when somebody else has taken it meanwhile", () => {
    const lock = take();
    writeFileSync(path(), JSON.stringify({ pid: 1, host: "elsewhere", started: null }));
    lock.release();
    expect(existsSync(path())).toBe(true);
  });

  test("in a folder that cannot be written is a store error", () => {
    expect(() => takeProcessLock(join(folder, "missing", "lock"), "x")).toThrow(
      expect.objectContaining({ code: "store" }),
    );
  });
});
