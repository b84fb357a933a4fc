import { describe, expect, it } from "vitest";
import { sessionDetail } from "../../../cli/inspect/session-detail.ts";
import { type Bank, emptyBank } from "../../../memory/bank.ts";
import type { SessionRecord } from "../../../nodes/session/record.ts";
import { add, playing, remove, type Step, update } from "../../support/scripts.ts";
import { throughLoop } from "../../support/sessions.ts";

async function session(
  [i, k]: readonly [number, number],
  parent: string | null,
  bank: Bank,
  calls: Step["calls"],
): Promise<{ record: SessionRecord; bank: Bank }> {
  const identity = { run: "r", context: "c", trajectory: i, question: null, parent, seed: 0, attempt: 1 };
  const script = playing([{ ...(calls && { calls }) }, { text: `core ${k}` }]);
  const ran = await throughLoop(script, { bank, input: { stage: "memory", position: k, identity } });
  return { record: ran.record, bank: ran.bank() };
}

const first = await session([0, 0], null, emptyBank, [add("a", "1"), add("b", "1")]);
const second = await session([0, 1], "c/t0/m0", first.bank, [update("a", "2"), remove("b"), add("c", "3")]);
const forked = await session([5, 1], "c/t0/m0", first.bank, [add("d", "4")]);
const records = [second, forked, first].map(({ record }) => record);
const detailOf = (record: SessionRecord, among: readonly SessionRecord[] = records) =>
  sessionDetail(record, { run: { contexts: [], records: among }, scores: [] });

describe("what a session did to the bank", () => {
  it("is found by replaying the sessions before it", () => {
    const { bank } = detailOf(second.record);
    expect(bank!.entries).toEqual({ before: 2, after: 2 });
    expect(bank!.added.map(({ title }) => title)).toEqual(["c"]);
    expect(bank!.updated.map(({ before, after }) => [before.content, after.content])).toEqual([["1", "2"]]);
    expect(bank!.deleted.map(({ title }) => title)).toEqual(["b"]);
  });

  it("follows parents into another trajectory", () => {
    const { bank } = detailOf(forked.record);
    expect(bank).toMatchObject({ entries: { before: 2, after: 3 }, updated: [], deleted: [] });
    expect(bank!.added.map(({ title }) => title)).toEqual(["d"]);
  });

  it("goes by position where a migrated log has no parents", () => {
    const old = records.map((record) => ({ ...record, parent: null }));
    expect(detailOf(old[0]!, old).bank!.entries).toEqual({ before: 2, after: 2 });
  });

  it("is not guessed when a session before it is missing or the parents go in a circle, nor for a failed one", () => {
    const lost = detailOf(second.record, [second.record]);
    expect(lost).toMatchObject({ bank: null, bankMissing: "the log has 0 of the 1 sessions before it" });
    const circle = { ...second.record, position: 5, parent: second.record.id };
    expect(detailOf(circle, [circle])).toMatchObject({ bank: null });
    const failed = { ...second.record, end: "error" as const };
    expect(detailOf(failed)).toMatchObject({ bank: null, bankMissing: "the session failed, so it changed nothing" });
  });
});
