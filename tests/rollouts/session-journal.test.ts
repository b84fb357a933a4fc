import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { createHalt } from "../../rollouts/halt.ts";
import { readRecordLog, readRecords } from "../../rollouts/record-log.ts";
import { type JournalOptions, openJournal } from "../../rollouts/session-journal.ts";
import { aRecord, providerError } from "./a-record.ts";

const parent = mkdtempSync(join(tmpdir(), "umagraph-journal-"));
afterAll(() => rmSync(parent, { recursive: true }));
const fresh = () => mkdtempSync(join(parent, "run-"));

const good = (n: number) => aRecord({ context: "c", trajectory: 0, position: 0, question: `${n}` });
const failed = (n: number, boundary: "policy" | "tool" | "worker" = "policy") =>
  ({ ...good(n), end: "error", answer: null, error: { ...providerError, boundary } }) as const;

function journalIn(folder: string, more: Partial<JournalOptions> = {}) {
  const halt = createHalt({});
  const journal = openJournal(folder, {
    ...{ run: "a-run", retryFailed: false, giveUpAfter: 0, maxFailedShare: 1, halt },
    ...more,
  });
  return { halt, journal };
}

describe("a journal", () => {
  it("knows what was finished, in this process and before, without the prompts", async () => {
    const folder = fresh();
    const first = journalIn(folder).journal;
    first.record(good(1));
    first.record(failed(2));
    await first.close();
    const { journal } = journalIn(folder);
    journal.record(good(3));
    expect(journal.finished("c/t0/q1")).toEqual({ ...good(1), messages: [] });
    expect(journal.finished("c/t0/q4")).toBeUndefined();
    expect(journal.all().map(({ id }) => id)).toEqual(["c/t0/q1", "c/t0/q2", "c/t0/q3"]);
    expect(journal.counts()).toEqual({ done: 3, resumed: 2, failed: 1, unserved: 0, lastFailure: null });
    await journal.close();
    expect(readRecords(folder)).toEqual([good(1), failed(2), good(3)]);
  });

  it("leaves no trace of a session that was cut short", async () => {
    const folder = fresh();
    const { journal } = journalIn(folder);
    journal.record({ ...good(1), end: "cancelled", answer: null });
    expect(journal.counts().done).toBe(0);
    await journal.close();
    expect(readRecords(folder)).toEqual([]);
  });

  it("gives up after so many sessions in a row without a reply; a served one, or another fault, begins the row anew", async () => {
    const { journal, halt } = journalIn(fresh(), { giveUpAfter: 3 });
    for (const record of [failed(1), failed(2), good(3), failed(4), failed(5), failed(6, "tool"), failed(7), failed(8)])
      journal.record(record);
    expect([halt.stopping(), halt.signal.aborted]).toEqual([false, false]);
    journal.record(failed(9));
    expect([halt.stopping(), halt.signal.aborted, halt.reason()]).toEqual([true, true, "provider"]);
    expect(journal.counts()).toMatchObject({ failed: 8, unserved: 7, lastFailure: "503" });
    await journal.close();
  });

  it("stops when a larger share than allowed fails, looked at from twenty sessions on", async () => {
    const few = journalIn(fresh(), { maxFailedShare: 0.25 });
    for (let n = 0; n < 19; n++) few.journal.record(failed(n, "worker"));
    expect(few.halt.stopping()).toBe(false);
    few.journal.record(good(19));
    // a served session never stops a run; the next failure does
    expect(few.halt.stopping()).toBe(false);
    few.journal.record(failed(20, "worker"));
    expect(few.halt.reason()).toBe("failures");
    await few.journal.close();

    const just = journalIn(fresh(), { maxFailedShare: 0.25 });
    for (let n = 0; n < 40; n++) just.journal.record(n % 4 === 3 ? failed(n) : good(n));
    expect(just.halt.reason()).toBe(null);
    await just.journal.close();
  });

  it("counts the share over this process alone: a resumed run with a mended server goes on", async () => {
    const folder = fresh();
    const first = journalIn(folder).journal;
    for (let n = 0; n < 30; n++) first.record(failed(n));
    await first.close();
    const { journal, halt } = journalIn(folder, { maxFailedShare: 0.1 });
    for (let n = 30; n < 60; n++) journal.record(n === 40 ? failed(n) : good(n));
    expect(halt.reason()).toBe(null);
    await journal.close();
  });

  it("with retryFailed forgets failed sessions, and numbers their next records", async () => {
    const folder = fresh();
    const first = journalIn(folder).journal;
    for (const record of [good(1), failed(2)]) first.record(record);
    await first.close();
    const { journal } = journalIn(folder, { retryFailed: true });
    expect(journal.finished("c/t0/q2")).toBeUndefined();
    journal.record(good(2));
    await journal.close();
    const { records, voided } = readRecordLog(folder);
    expect(records).toEqual([good(1), { ...good(2), attempt: 2 }]);
    expect(voided).toEqual([failed(2)]);
  });
});

describe("what stops a run", () => {
  it("is its first reason: what comes after changes nothing", () => {
    let asked = false;
    const halt = createHalt({ stopping: () => asked });
    expect([halt.stopping(), halt.reason()]).toEqual([false, null]);
    asked = true;
    halt.giveUp("failures");
    expect([halt.stopping(), halt.reason(), halt.signal.aborted]).toEqual([true, "asked", false]);
    asked = false;
    halt.giveUp("failures");
    halt.giveUp("provider");
    expect([halt.reason(), halt.signal.aborted]).toEqual(["failures", true]);
  });

  it("when something broke, that is thrown, whatever broke in its wake", () => {
    const halt = createHalt({});
    halt.fail(new Error("the disk is full"));
    halt.fail(new Error("and then this"));
    halt.giveUp("provider");
    expect(halt.reason()).toBe(null);
    expect([halt.stopping(), halt.signal.aborted]).toEqual([true, true]);
    expect(halt.rethrow).toThrow("the disk is full");
  });
});
