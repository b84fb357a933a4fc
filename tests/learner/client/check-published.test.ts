/** A publish is checked on one sequence. */
import { expect, it } from "vitest";
import { checkPublished } from "../../../learner/client/check-published.ts";
import { connect, datum } from "../../support/tinker-server/connect.ts";

const tokens = Int32Array.of(1, 2, 3, 4, 5);

async function trained(behaviour = {}, learningRate = 0.1) {
  const { client } = await connect(behaviour);
  const model = await client.createModel({ baseModel: "bigram", lora: { rank: 4 } });
  await model.forwardBackward([datum(12)], "cross_entropy");
  await model.optimStep({ learningRate });
  const base = await (await client.createSampler({ baseModel: "bigram" })).computeLogprobs(tokens);
  return { model, sampler: await model.publish(), base };
}

it("passes when the sampler has the learner's weights", async () => {
  const { model, sampler, base } = await trained();
  const { mean, most } = await checkPublished(model, sampler, { tokens, base });
  expect(mean).toBeLessThan(1e-6);
  expect(most).toBeLessThan(1e-6);
});

it("finds a sampler that still has the old weights", async () => {
  const { model, sampler } = await trained({ publishes: false });
  await expect(checkPublished(model, sampler, { tokens })).rejects.toThrow(/does not have the learner's weights/);
});

it("finds steps that changed nothing", async () => {
  const { model, sampler, base } = await trained({}, 0);
  await expect(checkPublished(model, sampler, { tokens, base })).rejects.toThrow(
    /exactly like the base model after 1 steps/,
  );
  await checkPublished(model, sampler, { tokens });
  await expect(checkPublished(model, sampler, { tokens: tokens.subarray(0, 1) })).rejects.toThrow(
    /at least two tokens/,
  );
});
