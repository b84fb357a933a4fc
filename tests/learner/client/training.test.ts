/** The whole way, in either dialect, against exact numbers: a table of logits can be computed by hand. */
import { describe, expect, it } from "vitest";
import { mergeOutputs } from "../../../learner/wire/merge-outputs.ts";
import { baseState, createBigramModel } from "../../support/tinker-server/bigram-model.ts";
import { connect, datum } from "../../support/tinker-server/connect.ts";

const lora = { baseModel: "bigram", lora: { rank: 4 } } as const;
const adam = { learningRate: 0.1 };

const expectClose = (got: ArrayLike<number>, expected: ArrayLike<number>) => {
  expect(got).toHaveLength(expected.length);
  for (let i = 0; i < got.length; i++) expect(got[i]).toBeCloseTo(expected[i]!, 5);
};

describe.each(["proto", "json"] as const)("in the %s dialect", (wire) => {
  it("scores, trains and scores again as the same arithmetic does here", async () => {
    const { client, server } = await connect({}, { wire });
    const model = await client.createModel(lora);
    const data = [datum(6, 1), datum(3, 9)];

    const here = createBigramModel(24, baseState(24));
    const scores = () =>
      data.map(({ modelInput, lossFnInputs }) =>
        Array.from(modelInput, (before, t) => here.logprob(before, lossFnInputs.target_tokens[t]!)),
      );
    const before = await model.forward(data);
    expect(before.logprobs.map((row) => row.constructor)).toEqual([Float32Array, Float32Array]);
    const flat = (rows: readonly ArrayLike<number>[]) => rows.flatMap((row) => Array.from(row));
    const close = (got: readonly ArrayLike<number>[], expected: readonly ArrayLike<number>[]) =>
      expectClose(flat(got), flat(expected));
    close(before.logprobs, scores());

    const trained = await model.forwardBackward(data, "cross_entropy");
    close(trained.logprobs, scores());
    expect(trained.metrics["loss:sum"]).toBeCloseTo(-flat(scores()).reduce((sum, x) => sum + x, 0), 4);
    close((await model.forward(data)).logprobs, scores());

    for (const { modelInput, lossFnInputs } of data)
      for (const [t, token] of modelInput.entries()) here.accumulate(token, lossFnInputs.target_tokens[t]!, 1);
    const norm = here.adam({
      learning_rate: 0.1,
      beta1: 0.9,
      beta2: 0.95,
      eps: 1e-12,
      weight_decay: 0,
      grad_clip_norm: 0,
    });
    const step = await model.optimStep(adam);
    expect(step.metrics["grad_norm:mean"]).toBeCloseTo(norm.gradNorm, 6);
    close((await model.forward(data)).logprobs, scores());
    expect(server.executed.map(({ seqId }) => seqId)).toEqual([1, 2, 3, 4, 5]);
    const types = server.seen.filter(({ route }) => route.startsWith("forward")).map(({ contentType }) => contentType);
    expect(new Set(types)).toEqual(new Set([wire === "proto" ? "application/x-protobuf" : "application/json"]));
  });

  it("samples token ids with their log-probabilities, from the weights that were published", async () => {
    const { client } = await connect({}, { wire });
    const model = await client.createModel(lora);
    const base = await model.publish();
    await model.forwardBackward([datum(12)], "cross_entropy");
    await model.optimStep(adam);
    const sampler = await model.publish();
    expect([base.step, sampler.step]).toEqual([0, 1]);
    expect(sampler.weightVersion).not.toBe(base.weightVersion);

    const prompt = Int32Array.of(1, 2);
    const ask = { prompt, maxTokens: 5, numSamples: 2, seed: 7 };
    const samples = await sampler.sample(ask);
    expect(samples).toHaveLength(2);
    expect(await sampler.sample(ask)).toEqual(samples);
    for (const { tokens, logprobs, stopReason } of samples) {
      expect([tokens.constructor, logprobs.constructor, stopReason]).toEqual([Int32Array, Float32Array, "length"]);
      const whole = Int32Array.of(...prompt, ...tokens);
      const scored = await model.forward([
        { modelInput: whole.subarray(0, -1), lossFnInputs: { target_tokens: whole.subarray(1) } },
      ]);
      expectClose(logprobs, scored.logprobs[0]!.subarray(prompt.length - 1));
      const prompted = await sampler.computeLogprobs(whole);
      expect(prompted[0]).toBeNaN();
      expectClose(prompted.subarray(1), scored.logprobs[0]!);
      expect((await base.computeLogprobs(whole))[3]).not.toBeCloseTo(prompted[3]!, 3);
    }
    const first = samples[0]!.tokens[2]!;
    const [stopped] = await sampler.sample({ ...ask, numSamples: 1, stop: [first] });
    expect([stopped!.tokens.at(-1), stopped!.stopReason]).toEqual([first, "stop"]);
  });

  it("gives the same gradient in one part, in many, and in any order of arrival", async () => {
    const data = Array.from({ length: 7 }, (_, d) => datum(3 + d, d));
    const after: number[][] = [];
    for (const chunkDatums of [1024, 3, 1]) {
      const { client, server } = await connect({}, { wire, limits: { chunkDatums } });
      const model = await client.createModel(lora);
      const output = await model.forwardBackward(data, "cross_entropy");
      expect(output.logprobs.map(({ length }) => length)).toEqual(data.map(({ modelInput }) => modelInput.length));
      expect(output.metrics).toMatchObject({ "tokens:sum": 42, "longest:max": 9 });
      await model.optimStep(adam);
      after.push((await model.forward(data)).logprobs.flatMap((row) => Array.from(row)));
      expect(server.executed.map(({ seqId }) => seqId)).toEqual(server.executed.map((_, i) => i + 1));
    }
    expect(after[1]).toEqual(after[0]);
    expect(after[2]).toEqual(after[0]);
  });
});

describe("calls that do not wait for each other", () => {
  it("are executed in the order they were made", async () => {
    const { client, server } = await connect({ workMs: 5 }, { limits: { chunkDatums: 1 } });
    const model = await client.createModel(lora);
    const data = [datum(4), datum(5), datum(6)];
    const [, , , sampler] = await Promise.all([
      model.forwardBackward(data, "cross_entropy"),
      model.optimStep(adam),
      model.forwardBackward(data, "cross_entropy"),
      model.publish(),
      model.optimStep(adam),
    ]);
    expect(server.executed.map(({ kind }) => kind)).toEqual([
      ...Array(3).fill("forward_backward"),
      "optim_step",
      ...Array(3).fill("forward_backward"),
      "save_weights_for_sampler",
      "optim_step",
    ]);
    expect(server.executed.map(({ seqId }) => seqId)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(sampler.step).toBe(1);
  });

  it("send part 1 of a call last where the server orders by number, and one after another where it does not", async () => {
    const arrivals = async (profile: "embedded" | "skyrl-fsdp") => {
      const { client, server } = await connect({}, { profile, wire: "proto", limits: { chunkDatums: 1 } });
      const model = await client.createModel(lora);
      await model.forwardBackward([datum(4), datum(5), datum(6)], "cross_entropy");
      return server.seen.filter(({ route }) => route === "forward_backward").map(({ body }) => body!.seqId);
    };
    const sideBySide = await arrivals("embedded");
    expect(sideBySide.at(-1)).toBe(1);
    expect([...sideBySide].sort()).toEqual([1, 2, 3]);
    expect(await arrivals("skyrl-fsdp")).toEqual([1, 2, 3]);
  });
});

describe("states", () => {
  it.each([true, false])(
    "are saved, listed, and loaded into this model or a new one (one call: %s)",
    async (inOneCall) => {
      const { client } = await connect({ flags: { create_model_via_load_weights: inOneCall } });
      const model = await client.createModel(lora);
      const data = [datum(8)];
      const train = async (of: typeof model) => {
        await of.forwardBackward(data, "cross_entropy");
        await of.optimStep(adam);
        return Array.from((await of.forward(data)).logprobs[0]!);
      };
      await train(model);
      const path = await model.saveState("one");
      await model.publish({ name: "for-sampling" });
      expect((await model.checkpoints()).map(({ kind, path }) => [kind, path])).toEqual([
        ["training", path],
        ["sampler", `tinker://${model.modelId}/sampler_weights/for-sampling`],
      ]);
      expect(await client.checkpoints()).toHaveLength(2);
      const second = await train(model);
      await model.loadState(path);
      expect(await train(model)).toEqual(second);
      expect(await train(await client.createModelFrom(path))).toEqual(second);
      expect(await train(await client.createModelFrom(path, { optimizer: false }))).not.toEqual(second);
    },
  );

  it("of a name are sampled from by their path, and the base model by its name", async () => {
    const { client } = await connect();
    const model = await client.createModel(lora);
    await model.forwardBackward([datum(8)], "cross_entropy");
    await model.optimStep(adam);
    const named = await model.publish({ name: "v1" });
    const again = await client.createSampler({ modelPath: named.weightVersion });
    const base = await client.createSampler({ baseModel: "bigram" });
    const tokens = Int32Array.of(1, 2, 3, 4);
    expect(await again.computeLogprobs(tokens)).toEqual(await named.computeLogprobs(tokens));
    expect(await base.computeLogprobs(tokens)).not.toEqual(await named.computeLogprobs(tokens));
    expect([named.step, again.step, base.step]).toEqual([1, null, null]);
  });
});

describe("models", () => {
  it("train LoRA or all parameters, and say which", async () => {
    const { client } = await connect();
    expect((await client.createModel({ baseModel: "bigram", lora: { rank: 8 } })).info).toEqual({
      modelId: `${client.sessionId}:train:0`,
      baseModel: "bigram",
      tokenizerId: "bigram",
      loraRank: 8,
    });
    expect((await client.createModel({ baseModel: "bigram", full: true })).info.loraRank).toBeNull();
  });

  it("are not asked for in full of an engine that trains LoRA only", async () => {
    const { client } = await connect({}, { profile: "tinker" });
    await expect(client.createModel({ baseModel: "bigram", full: true })).rejects.toThrow(/tinker trains LoRA only/);
  });

  it("are asked for without the choice of optimiser where the server does not know it", async () => {
    const { client, server } = await connect();
    const detail = [{ loc: ["body", "optimizer_config"], msg: "Extra inputs are not permitted" }];
    server.fault(({ route, body }) =>
      route === "create_model" && body!.optimizer_config ? { status: 422, body: { detail } } : null,
    );
    expect((await client.createModel(lora)).info.loraRank).toBe(4);
  });

  it("are used all the same where the server tells nothing about them", async () => {
    const { client, server } = await connect();
    server.fault(({ route }) => (route === "get_info" ? { status: 404 } : null));
    const model = await client.createModel(lora);
    expect(model.info).toEqual({ modelId: model.modelId, baseModel: null, tokenizerId: null, loraRank: null });
    expect((await model.forward([datum()])).logprobs).toHaveLength(1);
  });

  it("are published under a name once", async () => {
    const { client } = await connect();
    const model = await client.createModel(lora);
    await model.publish({ name: "v1" });
    await expect(model.publish({ name: "v1" })).rejects.toThrow(/"v1" before/);
    await model.publish({ name: "v2" });
  });

  it("cannot be used once unloaded", async () => {
    const { client } = await connect();
    const model = await client.createModel(lora);
    await model.unload();
    await expect(model.forward([datum()])).rejects.toThrow(/it was unloaded/);
  });
});

describe("metrics of parts", () => {
  it("are merged by the end of their names, means weighted by datums", () => {
    const rows = (n: number) => Array.from({ length: n }, () => new Float32Array(1));
    const merged = mergeOutputs([
      { logprobs: rows(1), metrics: { "a:sum": 1, "b:mean": 1, "c:min": 1, "d:max": 1, "e:slack": 1, same: 5, f: 1 } },
      { logprobs: rows(3), metrics: { "a:sum": 2, "b:mean": 5, "c:min": 2, "d:max": 2, "e:slack": 5, same: 5, f: 2 } },
    ]);
    expect(merged.logprobs).toHaveLength(4);
    expect(merged.metrics).toEqual({
      "a:sum": 3,
      "b:mean": 4,
      "c:min": 1,
      "d:max": 2,
      "e:slack": 1,
      same: 5,
      "f[0]": 1,
      "f[1]": 2,
    });
  });
});
