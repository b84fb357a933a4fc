import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { fromBase64 } from "../../../base/typed-array-text.ts";
import { profiles } from "../../../learner/engines/engine-profiles.ts";
import type { SessionRecord } from "../../../nodes/session/record.ts";
import { recordTrace } from "../../../nodes/session/recorded-trace.ts";
import { batchSessions } from "../../../trainers/batch/batch-sessions.ts";
import { planBatch } from "../../../trainers/batch/plan-batch.ts";
import { writeBatch } from "../../../trainers/batch/write-batch.ts";
import { objectives } from "../../../trainers/objective/objectives.ts";
import { temporaryFolder } from "../../evals/reports/invented-run.ts";
import { memorySession, qaSession } from "../rewards/sampled.ts";

/** Two turns: the second prompt goes on from the first completion, or breaks with it. */
function traced(record: SessionRecord, { broken = false, offset = 0 } = {}): SessionRecord {
  const prompt = [1, 2, 3].map((id) => id + offset);
  const first = { prompt: Int32Array.from(prompt), completion: Int32Array.from([10, 11]) };
  const begun = broken ? [9, 9] : [...prompt, 10, 11];
  const second = { prompt: Int32Array.from([...begun, 20, 21]), completion: Int32Array.from([30]) };
  const turns = [first, second].map(({ prompt: given, completion }, turn) => ({
    turn,
    prompt: given,
    completion,
    logprobs: Float32Array.from(completion, () => -0.5),
    weights: "w0",
    calls: [],
  }));
  return { ...record, trace: recordTrace(turns, record.id) };
}

const records = [
  traced(qaSession("b", { trajectory: 1 })),
  traced(memorySession(0, { trajectory: 0 })),
  traced(memorySession(0, { trajectory: 1 }), { broken: true }),
  traced(qaSession("b", { trajectory: 0 })),
];
const line = (session: string, A: number | null, reason: string | null = null) => ({ session, group: "g", A, reason });
const credit = {
  advantages: [line("c/t0/m0", 1), line("c/t1/m0", -1), line("c/t0/qb", 0), line("c/t1/qb", null, "failed")],
};
const { clip, aggregation } = objectives["task-stratified"];
const withoutKl = { ...objectives["task-stratified"], kl: null };
const embedded = { objective: objectives["task-stratified"], profile: profiles.embedded };

describe("a batch from records", () => {
  it("takes sessions in the order of the stream, whatever order they finished in", () => {
    expect(batchSessions(records, credit).exact.map(({ id }) => id)).toEqual([
      "c/t0/m0",
      "c/t0/qb",
      "c/t1/m0",
      "c/t1/qb",
    ]);
  });

  it("refuses a group that different weights have sampled, unless it is told to take it", () => {
    const resampled = records.map((record, n) => {
      if (n !== 0) return record;
      const turns = record.trace!.turns.map((turn) => ({ ...turn, weights: "w1" }));
      return { ...record, trace: { ...record.trace!, turns } };
    });
    expect(() => batchSessions(resampled, credit)).toThrow(/^c: sampled with weights "w1" and with "w0"/);
    expect(() => planBatch(resampled, credit, { ...embedded, objective: withoutKl })).toThrow(/sampled with weights/);
    expect(batchSessions(resampled, credit, { allowMixedWeights: true }).exact).toHaveLength(4);
    // another context is another group
    const apart = resampled.map((record, n) => (n === 0 ? { ...record, context: "d" } : record));
    expect(batchSessions(apart, credit).exact).toHaveLength(4);
  });

  it("counts what is shipped, what has no gradient and what left the loss", () => {
    const { planned } = planBatch(records, credit, { ...embedded, objective: withoutKl });
    expect(planned!.summary).toMatchObject({
      strata: {
        memory: { sessions: 2, withSignal: 2, shipped: 2, trainedTokens: 6 },
        qa: { sessions: 2, withSignal: 1, shipped: 0, trainedTokens: 0 },
      },
      // one sequence of 8 tokens; the broken session has one of 5 and one of 5
      datums: 3,
      brokenPrefixes: 1,
      tokens: { shipped: 18, trained: 6 },
      zeroAdvantageShare: 1 / 3,
      paddingWaste: 1 - 18 / 24,
      left: { failed: 1 },
    });
    expect(planned!.plan).toMatchObject({ mode: "ppo", zeroAdvantage: 1, totals: { sessions: 3, tokens: 9 } });
  });

  it("leaves the KL term out and says which mode an update with it takes", () => {
    const { planned, kl } = planBatch(records, credit, embedded);
    expect(planned!.plan.objective).toEqual({ loss: "clipped", clip, aggregation, kl: null, tis: null });
    expect(kl).toMatchObject({ term: { kind: "k3", beta: 0.001 }, chosen: { mode: "kl-extension", fit: "exact" } });
    const hosted = planBatch(records, credit, { ...embedded, profile: profiles.tinker });
    expect(hosted.kl!.chosen.mode).toBe("forward-weights");
  });

  it("a session without tokens is counted and never trained", () => {
    const { planned, tokenExact, withoutTokens } = planBatch([...records, memorySession(1)], credit, embedded);
    expect({ tokenExact, withoutTokens }).toEqual({ tokenExact: 4, withoutTokens: 1 });
    expect(planned!.summary.strata.memory.sessions).toBe(2);
    const none = planBatch([memorySession(1)], credit, embedded);
    expect(none).toMatchObject({ planned: null, tokenExact: 0, withoutTokens: 1, kl: { term: { kind: "k3" } } });
  });

  it("preference pairs are not in a rollout", () => {
    expect(() => planBatch(records, credit, { ...embedded, objective: objectives.dpo })).toThrow("preference pairs");
  });
});

describe("a batch as a file", () => {
  const folder = temporaryFolder();
  const read = (path: string) =>
    readFileSync(path, "utf8")
      .trimEnd()
      .split("\n")
      .map((text) => JSON.parse(text));

  it("holds what the engine gets, every array with its type", () => {
    const { plan } = planBatch(records, credit, embedded).planned!;
    const path = join(folder, "batch.jsonl");
    expect(writeBatch(path, plan)).toBe(3);
    const [head, first, ...rest] = read(path);
    expect(head).toMatchObject({
      v: 1,
      mode: "ppo",
      profile: "embedded",
      passes: [{ op: "forward_backward", loss_fn: "ppo", written: true }],
    });
    expect(first).toMatchObject({ pass: 0, session: "c/t0/m0", part: 0 });
    const ints = ({ data }: { data: string }) => [...fromBase64(data, Int32Array)];
    const floats = ({ data }: { data: string }) => [...fromBase64(data, Float32Array)];
    expect(ints(first.model_input)).toEqual([1, 2, 3, 10, 11, 20, 21]);
    expect(ints(first.loss_fn_inputs.target_tokens)).toEqual([2, 3, 10, 11, 20, 21, 30]);
    expect(floats(first.loss_fn_inputs.logprobs)).toEqual([0, 0, -0.5, -0.5, 0, 0, -0.5]);
    // A · 1/S · 1/|s| = 1 · 1/3 · 1/3 on sampled tokens, 0 elsewhere
    const ninth = Math.fround(1 / 9);
    expect(floats(first.loss_fn_inputs.advantages)).toEqual([0, 0, ninth, ninth, 0, 0, ninth]);
    expect(rest.map(({ session, part }) => [session, part])).toEqual([
      ["c/t1/m0", 0],
      ["c/t1/m0", 1],
    ]);
  });

  it("names a pass whose numbers the learner has to give first, and makes none up", () => {
    const { plan } = planBatch(records, credit, {
      objective: { ...withoutKl, clip: { ...clip, dual: 3 } },
      profile: profiles.embedded,
    }).planned!;
    expect(plan.mode).toBe("forward-weights");
    const path = join(folder, "weights.jsonl");
    expect(writeBatch(path, plan)).toBe(3);
    const [head, ...lines] = read(path);
    expect(head.passes).toMatchObject([
      { op: "forward", written: true },
      { op: "forward_backward", written: false },
    ]);
    expect(lines.every(({ pass }) => pass === 0)).toBe(true);
  });

  it("a place that cannot be written leaves nothing behind", () => {
    const { plan } = planBatch(records, credit, embedded).planned!;
    const taken = join(folder, "taken");
    mkdirSync(join(taken, "batch.jsonl"), { recursive: true });
    expect(() => writeBatch(join(taken, "batch.jsonl"), plan)).toThrow("cannot write");
    expect(readdirSync(taken)).toEqual(["batch.jsonl"]);
    expect(() => writeBatch(join(folder, "nowhere", "batch.jsonl"), plan)).toThrow(/cannot (write|open)/);
    expect(existsSync(join(folder, "nowhere"))).toBe(false);
  });
});
