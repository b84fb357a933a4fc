/**
 * Client and doctor against our own service, a real small transformer: skipped where its Python environment is not there.
 * UMAGRAPH_RECORD=1 writes the conversations that replay.test.ts plays back.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createLearnerClient, type Datum, examine, type LearnerClient } from "../../learner/index.ts";
import { type RunningService, servicePython, startLearnerService, whyNoService } from "../support/learner-service.ts";
import { startRecorder } from "../support/recorded-conversation.ts";
import { converse } from "./conversation.ts";

const title = servicePython ? "our service" : `our service (skipped: ${whyNoService})`;

describe.skipIf(!servicePython)(title, { timeout: 300_000 }, () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startLearnerService();
  }, 300_000);
  afterAll(() => service?.stop());

  const connected = async (wire: "auto" | "proto" | "json", limits = {}): Promise<LearnerClient> => {
    const client = await createLearnerClient({ baseURL: service.url, wire, limits });
    onTestFinished(() => client.close());
    return client;
  };

  it.each(["proto", "json"] as const)("passes every probe of the doctor, asked in %s", async (wire) => {
    const { lines, profile } = await examine({ baseURL: service.url, wire, onWarning: () => {} });
    expect(lines.filter(({ ok }) => !ok)).toEqual([]);
    expect(lines).toHaveLength(13);
    expect(profile).toMatchObject({
      reduction: "sum",
      signedWeights: true,
      accumulates: true,
      idempotent: true,
      parallelChunks: true,
    });
  });

  it("gives the same in either dialect, in parts or whole, and by LoRA or in full", async () => {
    for (const wanted of [{ lora: { rank: 4, seed: 5 } }, { full: true }] as const) {
      const scores: number[][] = [];
      for (const [wire, chunkDatums] of [
        ["proto", 1024],
        ["json", 1024],
        ["proto", 1],
      ] as const) {
        const client = await connected(wire, { chunkDatums });
        const model = await client.createModel({ baseModel: "tiny", ...wanted });
        const before = await model.forward(data);
        const [trained] = await Promise.all([
          model.forwardBackward(data, "cross_entropy"),
          model.optimStep({ learningRate: 1e-3 }),
        ]);
        expect(trained.logprobs.map(({ length }) => length)).toEqual([7, 19, 3]);
        const after = await model.forward(data);
        expect(flat(after.logprobs)).not.toEqual(flat(before.logprobs));
        scores.push(flat(after.logprobs));
        await model.unload();
      }
      scores[1]!.forEach((value, i) => void expect(value).toBeCloseTo(scores[0]![i]!, 5));
      scores[2]!.forEach((value, i) => void expect(value).toBeCloseTo(scores[0]![i]!, 4));
    }
  });

  it("learns a sequence by heart, and its sampler says it", async () => {
    const client = await connected("auto");
    const model = await client.createModel({ baseModel: "tiny", lora: { rank: 16, seed: 2 } });
    const losses: number[] = [];
    for (let update = 0; update < 40; update++) {
      const gradient = model.forwardBackward([data[0]!], "cross_entropy");
      void model.optimStep({ learningRate: 0.02 });
      losses.push((await gradient).metrics["loss:sum"]!);
    }
    expect(losses.at(-1)!).toBeLessThan(losses[0]! / 10);
    const sampler = await model.publish();
    const { modelInput, lossFnInputs } = data[0]!;
    const [sample] = await sampler.sample({
      prompt: modelInput.subarray(0, 1),
      maxTokens: 7,
      temperature: 0.05,
      seed: 1,
      stop: [],
    });
    expect(sample!.tokens).toEqual(lossFnInputs.target_tokens);
    expect(sampler.step).toBe(40);
  });

  it("refuses what is wrong in words, and goes on", async () => {
    const client = await connected("proto");
    const model = await client.createModel({ baseModel: "tiny", lora: { rank: 4 } });
    const outside: Datum = { modelInput: Int32Array.of(1), lossFnInputs: { target_tokens: Int32Array.of(70_000) } };
    await expect(model.forwardBackward([outside], "cross_entropy")).rejects.toMatchObject({
      code: "input",
      message: expect.stringMatching(/70000/),
    });
    await expect(model.forwardBackward(data, "no_such_loss")).rejects.toMatchObject({ code: "input" });
    await expect(client.createModel({ baseModel: "another", lora: { rank: 4 } })).rejects.toThrow(/another/);
    await expect(client.createModelFrom("tinker://nowhere/weights/x")).rejects.toThrow(/nowhere|x/);
    await model.forwardBackward(data, "cross_entropy");
    expect((await model.optimStep({ learningRate: 1e-3 })).metrics).not.toEqual({});
  });

  it.each(["proto", "json"] as const)("has a conversation in %s that can be recorded", async (wire) => {
    const recorder = await startRecorder(service.url);
    onTestFinished(() => recorder.close());
    const outcome = await converse(recorder.url, wire);
    expect(recorder.exchanges.length).toBeGreaterThan(40);
    if (!process.env.UMAGRAPH_RECORD) return;
    const folder = join(import.meta.dirname, "..", "golden", "learner");
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, `client-${wire}.json`),
      `${JSON.stringify({ exchanges: recorder.exchanges, outcome }, null, 1)}\n`,
    );
  });
});

const data: readonly Datum[] = [8, 20, 4].map((length, d) => {
  const tokens = Int32Array.from({ length }, (_, t) => (37 * t + 101 * d + 11) % 590);
  return {
    modelInput: tokens.subarray(0, -1),
    lossFnInputs: { target_tokens: tokens.subarray(1), weights: new Float32Array(length - 1).fill(1) },
  };
});

const flat = (rows: readonly Float32Array[]) => rows.flatMap((row) => Array.from(row));
