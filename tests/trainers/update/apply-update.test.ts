import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { createLearnerClient, type LearnerClient } from "../../../learner/client/learner-client.ts";
import type { TrainedModel } from "../../../learner/client/trained-model.ts";
import { objectiveFrom } from "../../../trainers/objective/objectives.ts";
import { applyUpdate } from "../../../trainers/update/apply-update.ts";
import { connect, impatient } from "../../support/tinker-server/connect.ts";
import { startTinkerServer } from "../../support/tinker-server/tinker-server.ts";
import { modesAgree, sessionsFor } from "./modes.ts";

describe("an update on an exact learner", () => {
  let client: LearnerClient;
  let model: TrainedModel;
  let start: string;
  let baseModel: string;
  beforeAll(async () => {
    const server = await startTinkerServer({});
    client = await createLearnerClient({ baseURL: server.url, limits: impatient });
    baseModel = (await client.capabilities()).supported_models[0]!.model_name!;
    model = await client.createModel({ baseModel, lora: { rank: 4 } });
    start = await model.saveState("start");
    return async () => {
      await client.close();
      await server.close();
    };
  });

  modesAgree({
    client: () => client,
    model: () => model,
    baseModel: () => baseModel,
    start: () => start,
    vocabulary: 20,
    tolerance: 2e-4,
  });

  it("counts sessions without a gradient in S, and does not send them", async () => {
    const objective = objectiveFrom({ ...(objectiveFrom("task-stratified") as object), kl: null });
    const sessions = sessionsFor(20);
    const [step] = await applyUpdate({
      model,
      sessions,
      objective,
      profile: client.profile,
      adam: { learningRate: 0 },
    });
    // 6 sessions: one has no signal, one has an advantage of 0
    expect(step!.plan.totals.sessions).toBe(5);
    expect(step!.plan.terms).toHaveLength(4);
    expect(step!.zeroAdvantage).toBe(1);
    for (const { scale, trained } of step!.plan.terms) expect(scale).toBe(1 / (5 * trained));
    expect(step!.metrics).toMatchObject({ klRef: null });
    expect(step!.metrics!.tokens).toBe(step!.plan.terms.reduce((sum, { trained }) => sum + trained, 0));
  });

  it("leaves out sessions with an advantage of 0 on request, also where they would be sent for their KL term", async () => {
    const objective = objectiveFrom("task-stratified");
    const reference = await client.createSampler({ baseModel });
    const given = { model, reference, sessions: sessionsFor(20), objective, profile: client.profile };
    const [all] = await applyUpdate({ ...given, adam: { learningRate: 0 } });
    const [some] = await applyUpdate({ ...given, adam: { learningRate: 0 }, shipZeroAdvantage: false });
    expect([all!.plan.terms.length, some!.plan.terms.length]).toEqual([5, 4]);
    expect(some!.plan.totals).toEqual(all!.plan.totals);
    expect(some!.zeroAdvantage).toBe(1);
  });

  it("scores the reference alike by a sampler and by a model that nobody trains", async () => {
    const objective = objectiveFrom("task-stratified");
    const references = [
      await client.createSampler({ baseModel }),
      await client.createModel({ baseModel, lora: { rank: 4 } }),
    ];
    const given = { model, sessions: sessionsFor(20), objective, profile: client.profile, adam: { learningRate: 0 } };
    const [sampler, frozen] = await Promise.all(references.map((reference) => applyUpdate({ ...given, reference })));
    expect(sampler![0]!.metrics!.klRef).not.toBeNull();
    expect(frozen![0]!.metrics!.klRef).toBeCloseTo(sampler![0]!.metrics!.klRef!, 4);
  });

  it("takes the sampler's log-probabilities as the old ones on request, without a forward pass", async () => {
    const objective = objectiveFrom({ ...(objectiveFrom("task-stratified") as object), kl: null });
    let passes = 0;
    const watched = {
      ...model,
      forward: (...args: Parameters<TrainedModel["forward"]>) => {
        passes++;
        return model.forward(...args);
      },
    };
    const given = { model: watched, sessions: sessionsFor(20), objective, profile: client.profile };
    const steps = await applyUpdate({ ...given, minibatches: 2, old: "sampler", adam: { learningRate: 0 } });
    expect(passes).toBe(0);
    for (const { plan } of steps)
      for (const { session } of plan.terms) for (const part of session.parts) expect(part.old).toBeUndefined();
    await applyUpdate({ ...given, minibatches: 2, adam: { learningRate: 0 } });
    expect(passes).toBe(1);
  });

  it("takes no step when what is asked before it throws", async () => {
    const objective = objectiveFrom({ ...(objectiveFrom("task-stratified") as object), kl: null });
    const asked: number[] = [];
    await expect(
      applyUpdate({
        model: { ...model, optimStep: () => Promise.reject(new Error("stepped")) },
        sessions: sessionsFor(20),
        objective,
        profile: client.profile,
        adam: { learningRate: 1 },
        beforeStep(metrics, step) {
          asked.push(step);
          expect(metrics.samplerGap).toBeGreaterThan(0);
          throw new Error("no further");
        },
      }),
    ).rejects.toThrow("no further");
    expect(asked).toEqual([0]);
  });

  it("takes no step when no session has a gradient", async () => {
    const objective = objectiveFrom({ ...(objectiveFrom("task-stratified") as object), kl: null });
    const silent = sessionsFor(20).map((session) => ({ ...session, advantage: 0 }));
    const steps = await applyUpdate({
      model: { ...model, optimStep: () => Promise.reject(new Error("stepped")) },
      sessions: silent,
      objective,
      profile: client.profile,
      adam: { learningRate: 1 },
    });
    expect(steps).toMatchObject([{ metrics: null, zeroAdvantage: 6 }]);
  });
});

it("takes a step per minibatch against the same old log-probabilities, the same ones for the same seed", async () => {
  const { client } = await connect();
  onTestFinished(() => client.close());
  const baseModel = (await client.capabilities()).supported_models[0]!.model_name!;
  const objective = objectiveFrom({ ...(objectiveFrom("task-stratified") as object), kl: null });
  const run = async (seed: number) => {
    const model = await client.createModel({ baseModel, lora: { rank: 4 } });
    return applyUpdate({
      ...{ model, objective, profile: client.profile, seed },
      sessions: sessionsFor(20),
      minibatches: 2,
      adam: { learningRate: 0.05 },
    });
  };
  const steps = await run(3);
  expect(steps).toHaveLength(2);
  const ids = (made: typeof steps) => made.map(({ plan }) => plan.terms.map(({ session }) => session.id));
  expect(new Set(ids(steps).flat()).size).toBe(4);
  expect(ids(await run(3))).toEqual(ids(steps));
  // the first step is at the old policy, the second has moved away from it
  expect(steps[0]!.metrics!.ratio).toBeCloseTo(1, 5);
  expect(steps[0]!.metrics!.klOld).toBeLessThan(1e-9);
  expect(steps[1]!.metrics!.klOld).toBeGreaterThan(1e-6);
});
