/** Supervised training against a server with real gradients: what is sent, what is reported, and that a killed run goes on alike. */
import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { profileFrom, type TrainedModel } from "../../../learner/index.ts";
import { exampleOrder } from "../../../trainers/sft/example-order.ts";
import { type Example, supervisedBatch } from "../../../trainers/sft/supervised-batch.ts";
import {
  type SupervisedOptions,
  type SupervisedReport,
  trainSupervised,
} from "../../../trainers/sft/train-supervised.ts";
import { learningRateAt } from "../../../trainers/update/learning-rate.ts";
import { connect } from "../../support/tinker-server/connect.ts";

/** Ids count up from `start` within a vocabulary of 24; the last `written` of them are the teacher's. */
const example = (start: number, length: number, written: number, stage: Example["stage"] = "memory"): Example => ({
  id: `${stage}-${start}-${length}`,
  stage,
  part: {
    ids: Int32Array.from({ length }, (_, t) => 1 + ((start + t) % 20)),
    mask: Uint8Array.from({ length }, (_, t) => (t >= length - written ? 1 : 0)),
    sampler: new Float32Array(length),
  },
});
const examples = Array.from({ length: 30 }, (_, i) => example(i, 5 + (i % 7), 3, i % 3 === 0 ? "qa" : "memory"));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "umagraph-sft-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const settings = {
  baseModel: "bigram",
  examples,
  steps: 12,
  batchTokens: 30,
  contextWeight: 0.1,
  learningRate: { peak: 0.1, warmUp: 3, anneal: 4 },
  seed: 5,
  reportEvery: 4,
  checkpointEvery: 4,
} satisfies Partial<SupervisedOptions>;

const metricsOf = (path: string) =>
  readFileSync(join(path, "metrics.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => ({ ...(JSON.parse(line) as SupervisedReport), seconds: 0 }));

describe("training", () => {
  it("lowers the loss of what the teacher wrote, on the held-out sessions too", async () => {
    const { client } = await connect();
    const heldOut = [example(3, 9, 4), example(11, 8, 4, "qa")];
    await trainSupervised({ ...settings, client, folder, heldOut });
    const [first, , last] = metricsOf(folder);
    expect(metricsOf(folder).map(({ step }) => step)).toEqual([4, 8, 12]);
    expect(last!.loss).toBeLessThan(first!.loss);
    expect(last!.heldOut!.loss).toBeLessThan(first!.heldOut!.loss);
    expect(last!.heldOut!.memory).toBeGreaterThan(first!.heldOut!.memory!);
    expect(last!.heldOut!.qa).toBeGreaterThan(0);
    expect(last!.tokens).toBeGreaterThan(12 * 25);
  });

  it("goes on after a kill with the same weights, optimiser, data and schedule", async () => {
    const { client, server } = await connect();
    const scored = async (model: TrainedModel) => {
      const { datums } = supervisedBatch(examples, profileFrom("embedded"), { contextWeight: 0 });
      return (await model.forward(datums)).logprobs.map((row) => Array.from(row));
    };
    const whole = await trainSupervised({ ...settings, reportEvery: 2, client, folder: join(folder, "whole") });

    const killed = join(folder, "killed");
    const stop = new AbortController();
    const dying = trainSupervised({
      ...settings,
      ...{ client, folder: killed, signal: stop.signal, reportEvery: 2 },
      onReport: ({ step }) => {
        if (step === 6) stop.abort();
      },
    });
    await expect(dying).rejects.toThrow();
    expect(JSON.parse(readFileSync(join(killed, "state.json"), "utf8")).step).toBe(4);
    // a line that was being written when the power went
    appendFileSync(join(killed, "metrics.jsonl"), '{"step":');
    const resumed = await trainSupervised({ ...settings, reportEvery: 2, client, folder: killed, resume: true });
    expect(await scored(resumed)).toEqual(await scored(whole));
    // what was done twice is reported once
    expect(metricsOf(killed)).toEqual(metricsOf(join(folder, "whole")));
    expect(server.seen.filter(({ route }) => route === "save_weights").length).toBeGreaterThan(4);
  });

  it("keeps two states in turn, so that the one that is named is never being written", async () => {
    const { client, server } = await connect();
    await trainSupervised({ ...settings, client, folder });
    const saved = server.seen.filter(({ route }) => route === "save_weights");
    expect(saved.map(({ body }) => (body as { path: string }).path)).toEqual(["sft-1", "sft-0", "sft-1"]);
    expect(JSON.parse(readFileSync(join(folder, "state.json"), "utf8"))).toMatchObject({
      step: 12,
      checkpoint: expect.stringMatching(/sft-1$/),
    });
  });

  it("refuses an empty set", async () => {
    const { client } = await connect();
    await expect(trainSupervised({ ...settings, client, folder, examples: [] })).rejects.toThrow(
      "expected examples, got none",
    );
  });
});

describe("a batch", () => {
  it("weighs the teacher's tokens alike, to 1 in all, and what was given by a part of that", () => {
    const { datums, trained, tokens } = supervisedBatch([example(0, 6, 2), example(4, 9, 6)], profileFrom("embedded"), {
      contextWeight: 0.5,
    });
    expect({ trained, tokens }).toEqual({ trained: 8, tokens: 15 });
    expect(Array.from(datums[0]!.lossFnInputs.weights!)).toEqual([1 / 16, 1 / 16, 1 / 16, 1 / 8, 1 / 8]);
    const without = supervisedBatch([example(0, 6, 2)], profileFrom("embedded"), { contextWeight: 0 });
    expect(Array.from(without.datums[0]!.lossFnInputs.weights!)).toEqual([0, 0, 0, 0.5, 0.5]);
  });
});

describe("the order of examples", () => {
  const lengths = Array.from({ length: 40 }, (_, i) => 10 + ((i * 7) % 23));
  const epochOf = (order: ReturnType<typeof exampleOrder>, epoch: number) => {
    const batches: (readonly number[])[] = [];
    for (let place = { epoch, at: 0 }; place.epoch === epoch; ) {
      const { members, next } = order.batchAt(place);
      batches.push(members);
      place = next;
    }
    return batches;
  };

  it("gives each example once an epoch, in batches of about so many tokens, shuffled anew", () => {
    const order = exampleOrder(lengths, { seed: 1, batchTokens: 60 });
    const [first, second] = [epochOf(order, 0), epochOf(order, 1)];
    for (const batches of [first, second]) {
      expect(batches.flat().toSorted((a, b) => a - b)).toEqual(lengths.map((_, i) => i));
      for (const members of batches.slice(0, -1)) {
        const tokens = members.reduce((sum, member) => sum + lengths[member]!, 0);
        expect(tokens).toBeGreaterThanOrEqual(60);
        expect(tokens).toBeLessThan(60 + 33);
      }
    }
    expect(first.flat()).not.toEqual(second.flat());
  });

  it("is a function of the place alone", () => {
    const order = exampleOrder(lengths, { seed: 1, batchTokens: 60 });
    const third = order.batchAt(order.batchAt(order.batchAt({ epoch: 2, at: 0 }).next).next);
    order.batchAt({ epoch: 0, at: 0 });
    const again = exampleOrder(lengths, { seed: 1, batchTokens: 60 });
    expect(again.batchAt(again.batchAt(again.batchAt({ epoch: 2, at: 0 }).next).next)).toEqual(third);
  });

  it("begins with short ones where that is asked for", () => {
    const order = exampleOrder(lengths, { seed: 1, batchTokens: 60, shortFirst: { batches: 2, tokens: 16 } });
    const batches = epochOf(order, 0);
    expect(batches.flat().toSorted((a, b) => a - b)).toEqual(lengths.map((_, i) => i));
    for (const member of batches.slice(0, 2).flat().slice(0, -1)) expect(lengths[member]).toBeLessThanOrEqual(16);
  });
});

describe("the learning rate", () => {
  it("rises, stays and falls in straight lines, and never is 0", () => {
    const rate = { peak: 2, warmUp: 4, anneal: 10 };
    const at = (step: number) => learningRateAt(step, 100, rate);
    expect([at(0), at(1), at(3), at(50), at(90), at(95)]).toEqual([0.5, 1, 2, 2, 2, 1]);
    expect(at(99)).toBeCloseTo(0.2);
    expect(learningRateAt(100, 100, rate)).toBeGreaterThan(0);
    expect(learningRateAt(0, 100, { ...rate, warmUp: 0, anneal: 0 })).toBe(2);
  });
});
