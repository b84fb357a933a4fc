/** The whole chain through our own service: what a policy is trained to say it says, in tokens that the learner scores alike. */
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { tracePartsOf } from "../../../nodes/session/recorded-trace.ts";
import { connectLearner } from "../../../policies/learner-sampled/connect-learner.ts";
import { LearnerChatModel } from "../../../policies/learner-sampled/learner-chat-model.ts";
import { learnerSampled } from "../../../policies/learner-sampled/learner-sampled.ts";
import type { Policy } from "../../../policies/policy.ts";
import { TokenExactChatModel } from "../../../policies/token-exact/token-exact-chat-model.ts";
import { tokenExactPolicy } from "../../../policies/token-exact/token-exact-policy.ts";
import {
  type RunningService,
  servicePython,
  startLearnerService,
  whyNoService,
} from "../../support/learner-service.ts";
import { throughLoop } from "../../support/sessions.ts";
import { call, scriptedSampler } from "../token-exact/scripted-sampler.ts";

const title = servicePython ? "our service" : `our service (skipped: ${whyNoService})`;

describe.skipIf(!servicePython)(title, { timeout: 300_000 }, () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await startLearnerService();
  }, 300_000);
  afterAll(() => service?.stop());

  const limits = { promptTokens: 20_000, interactionTokens: 1_000 };
  const session = async (policy: Policy, seed = 0) => {
    const identity = { run: "r", context: "c", trajectory: 0, question: null, parent: null, seed, attempt: 1 };
    const input = { stage: "memory" as const, core: "", focus: "Ada <|im_end|> likes tea.", identity };
    return (await throughLoop(policy, { limits, input })).record;
  };

  it("samples what teacher forcing gives, from an untrained model that says anything", async () => {
    const policy = await learnerSampled({ baseURL: service.url }, {});
    onTestFinished(() => policy.close());
    const { client } = await connectLearner({ baseURL: service.url }, {});
    onTestFinished(() => client.close());
    const sampler = await client.createSampler({ baseModel: "tiny" });
    for (const seed of [1, 2, 3]) {
      const { trace, error } = await session(policy, seed);
      expect(error).toBeNull();
      for (const { ids, mask, sampler: sampled } of tracePartsOf(trace!)) {
        const scores = await sampler.computeLogprobs(ids);
        for (const [t, trained] of mask.entries())
          if (trained) expect(Math.abs(sampled[t]! - scores[t]!)).toBeLessThan(1e-5);
      }
    }
  });

  it("plays back the session that it was trained on: valid calls, one sequence, a new weight version", async () => {
    const { client, model: base } = await connectLearner({ baseURL: service.url }, {});
    onTestFinished(() => client.close());
    const { format } = base;
    const replies = [
      call("memory_add", { title: "Ada", content: "likes tea" }),
      `${call("memory_list", {})}\n${call("memory_key_retrieve", { title: "Ada" })}`,
      "Ada likes tea.",
    ];
    const expert = new TokenExactChatModel({ name: "expert", sampler: scriptedSampler(replies, { format }), format });
    const [shown] = tracePartsOf((await session(tokenExactPolicy(expert))).trace!);
    const { ids, mask } = shown!;
    const datum = {
      modelInput: ids.slice(0, -1),
      lossFnInputs: { target_tokens: ids.slice(1), weights: Float32Array.from(mask.slice(1)) },
    };
    const model = await client.createModel({ baseModel: "tiny", full: true });
    const before = await model.publish();
    for (let step = 0; step < 60; step++)
      await Promise.all([
        model.forwardBackward([datum], "cross_entropy"),
        model.optimStep({ learningRate: 2e-3, gradClipNorm: 1 }),
      ]);
    const path = (await model.publish({ name: "taught" })).weightVersion;
    expect(path).not.toBe(before.weightVersion);

    const taught = await LearnerChatModel.connect({ baseURL: service.url, model: path }, {});
    onTestFinished(() => taught.close());
    const record = await session(tokenExactPolicy(taught));
    expect(record.policy).toEqual({ name: `learner:${path}`, scripted: false, weights: path });
    expect(record.calls.map(({ name, verdict }) => [name, verdict])).toEqual([
      ["memory_add", "valid"],
      ["memory_list", "valid"],
      ["memory_key_retrieve", "valid"],
    ]);
    expect(record.core).toMatchObject({ after: "Ada likes tea.", committed: true });
    expect(record.trace!.breaks).toEqual([]);
    const [said] = tracePartsOf(record.trace!);
    expect(said!.ids).toEqual(ids);
    expect(said!.mask).toEqual(mask);
    expect(record.trace!.turns.every(({ weights }) => weights === path)).toBe(true);
  });
});
