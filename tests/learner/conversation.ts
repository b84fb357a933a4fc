/** One conversation that uses everything a training run does, and what came out of it; recorded with our service, and played back. */
import { messageOf } from "../../base/errors.ts";
import { createLearnerClient, type Datum } from "../../learner/index.ts";

export async function converse(baseURL: string, wire: "proto" | "json"): Promise<object> {
  const client = await createLearnerClient({
    baseURL,
    wire,
    // heartbeats come when they come, so a recording has none
    limits: { chunkDatums: 2, heartbeatMs: 3_600_000, retryForMs: 1 },
    onWarning: () => {},
  });
  const rounded = (values: ArrayLike<number>) => Array.from(values, (value) => Number(value.toPrecision(6)));
  const data = [sequence([5, 17, 320, 44]), sequence([9, 8, 7]), sequence([100, 200, 300, 400, 500])];
  const model = await client.createModel({ baseModel: "tiny", lora: { rank: 4, seed: 1 } });
  const before = await model.forward(data);
  const wrong = await model.forwardBackward([data[0]!], "no_such_loss").catch(messageOf);
  const ce = await model.forwardBackward(data, "cross_entropy");
  const withOld = data.map((datum, d) => ({
    ...datum,
    lossFnInputs: {
      target_tokens: datum.lossFnInputs.target_tokens,
      logprobs: before.logprobs[d]!,
      advantages: Float32Array.from(datum.modelInput, (_, t) => (t % 2 === 0 ? 0.5 : -0.25)),
      ref_logprobs: before.logprobs[d]!.map((value) => value - 0.1),
      kl_weights: new Float32Array(datum.modelInput.length).fill(0.5),
    },
  }));
  const ppo = await model.forwardBackward(withOld, "ppo", {
    clip_low_threshold: 0.8,
    clip_high_threshold: 1.2,
    kl_beta: 0.1,
    kl_kind: 3,
  });
  const step = await model.optimStep({ learningRate: 0.01, gradClipNorm: 1 });
  const after = await model.forward(data);
  const path = await model.saveState("state");
  const sampler = await model.publish({ name: "weights" });
  const samples = await sampler.sample({
    prompt: Int32Array.of(5, 17),
    maxTokens: 6,
    numSamples: 2,
    seed: 3,
    stop: [],
  });
  const prompted = await sampler.computeLogprobs(Int32Array.of(5, 17, 320, 44));
  await model.loadState(path);
  const restored = await client.createModelFrom(path, { optimizer: false });
  const again = await restored.forward(data);
  const listed = (await model.checkpoints()).map(({ kind, path }) => [kind, path]);
  await model.unload();
  await client.close();
  return {
    info: model.info,
    wrong,
    before: before.logprobs.map(rounded),
    crossEntropy: ce.metrics,
    ppo: ppo.metrics,
    step: step.metrics,
    after: after.logprobs.map(rounded),
    again: again.logprobs.map(rounded),
    samples: samples.map(({ tokens, logprobs, stopReason }) => [Array.from(tokens), rounded(logprobs), stopReason]),
    prompted: rounded(prompted).map((value) => (Number.isNaN(value) ? null : value)),
    listed,
  };
}

function sequence(tokens: readonly number[]): Datum {
  return {
    modelInput: Int32Array.from(tokens.slice(0, -1)),
    lossFnInputs: {
      target_tokens: Int32Array.from(tokens.slice(1)),
      weights: Float32Array.from(tokens.slice(1), (_, t) => 1 / (1 + t)),
    },
  };
}
