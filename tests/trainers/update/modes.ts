/** Every exact mode of an objective, through a learner: the steps they lead to are the same, and they are −∇J's. */
import { expect, it } from "vitest";
import { rng } from "../../../base/rng.ts";
import type { LearnerClient } from "../../../learner/client/learner-client.ts";
import type { TrainedModel } from "../../../learner/client/trained-model.ts";
import { klKinds } from "../../../learner/engines/engine-profile.ts";
import { judgeModes, type Mode } from "../../../trainers/objective/modes.ts";
import type { Objective } from "../../../trainers/objective/objective.ts";
import type { TrainingSession } from "../../../trainers/objective/training-session.ts";
import { applyUpdate } from "../../../trainers/update/apply-update.ts";
import { scoreOld, scoreReference } from "../../../trainers/update/score-update.ts";

export interface ModesUnder {
  readonly client: () => LearnerClient;
  readonly model: () => TrainedModel;
  readonly baseModel: () => string;
  /** A state to start each mode from. */
  readonly start: () => string;
  /** Token ids from 1 to here are used. */
  readonly vocabulary: number;
  /** Largest relative difference of two modes' steps. */
  readonly tolerance: number;
}

/** A step of plain gradient descent: with no momentum and a large ε, Adam moves by lr / ε times the gradient. */
const descent = { learningRate: 50, beta1: 0, beta2: 0, eps: 1_000, weightDecay: 0, gradClipNorm: 0 };

export function sessionsFor(vocabulary: number): TrainingSession[] {
  const random = rng("modes", vocabulary);
  return [0.7, -1.1, 0, null, 1.6, -0.4].map((advantage, n) => ({
    id: `s${n}`,
    stage: n < 3 ? ("memory" as const) : ("qa" as const),
    advantage,
    ...(advantage === null && { reason: "failed" }),
    parts: [9 + n, ...(n === 1 ? [6] : [])].map((length) => {
      const ids = Int32Array.from({ length }, () => random.int(1, vocabulary - 1));
      const mask = Uint8Array.from({ length }, (_, t) => (t > 2 && t % 4 !== 0 ? 1 : 0));
      return { ids, mask, sampler: Float32Array.from(mask, (on) => (on ? -1 - random.next() : 0)) };
    }),
  }));
}

const objectives: Record<string, Objective> = {
  "the clipped surrogate": {
    loss: "clipped",
    clip: { low: 0.2, high: 0.28, dual: null },
    kl: null,
    aggregation: "session-mean",
    tis: null,
  },
  ...Object.fromEntries(
    klKinds.map((kind) => [
      `the surrogate with KL ${kind}`,
      {
        loss: "clipped",
        clip: { low: 0.2, high: 0.2, dual: null },
        kl: { kind, beta: 0.3, clamp: false },
        aggregation: "session-mean",
        tis: null,
      } satisfies Objective,
    ]),
  ),
  "the mean over tokens": {
    loss: "clipped",
    clip: { low: 0.2, high: 0.2, dual: null },
    kl: null,
    aggregation: "token-mean",
    tis: null,
  },
  cispo: { loss: "cispo", clip: { low: 1, high: 3 }, kl: null, aggregation: "token-mean", tis: null },
  reinforce: { loss: "reinforce", kl: null, aggregation: { constant: 8 }, tis: null },
  sft: { loss: "sft", aggregation: "token-mean" },
};

export function modesAgree(under: ModesUnder): void {
  it.each(Object.entries(objectives))("%s takes the same step in every exact mode", async (_, objective) => {
    const { profile } = under.client();
    const sessions = await offPolicy(under);
    const modes = judgeModes(objective, profile, false).filter(({ fit }) => fit === "exact");
    expect(modes.length).toBeGreaterThanOrEqual(2);
    const steps: [Mode, number[]][] = [];
    for (const { mode } of modes) steps.push([mode, await changeBy(under, objective, sessions, mode)]);
    const [[, first]] = steps as [[Mode, number[]]];
    const size = Math.hypot(...first);
    expect(size).toBeGreaterThan(1e-4);
    for (const [mode, change] of steps.slice(1))
      expect(Math.hypot(...change.map((c, i) => c - first[i]!)) / size, `${mode} against ${steps[0]![0]}`).toBeLessThan(
        under.tolerance,
      );
  });
}

/** Old log-probabilities as the learner gives them, moved, so that ratios are on both sides of the clip; the reference's too. */
async function offPolicy(under: ModesUnder): Promise<TrainingSession[]> {
  await under.model().loadState(under.start(), { optimizer: false });
  const { profile } = under.client();
  const old = await scoreOld(under.model(), sessionsFor(under.vocabulary), profile);
  const reference = await under.client().createSampler({ baseModel: under.baseModel() });
  const random = rng("off-policy");
  return (await scoreReference(reference, old, profile)).map((session) => ({
    ...session,
    parts: session.parts.map((part) => ({
      ...part,
      old: part.old!.map((l, t) => (part.mask[t] ? l + 0.6 * (random.next() - 0.5) : 0)),
      ref: part.ref!.map((l, t) => (part.mask[t] ? l + 0.4 * (random.next() - 0.5) : 0)),
    })),
  }));
}

async function changeBy(
  under: ModesUnder,
  objective: Objective,
  sessions: readonly TrainingSession[],
  mode: Mode,
): Promise<number[]> {
  const model = under.model();
  const { profile } = under.client();
  const plain = sessionsFor(under.vocabulary);
  await model.loadState(under.start(), { optimizer: false });
  const before = await scoreOld(model, plain, profile);
  await applyUpdate({ model, sessions, objective, profile, adam: descent, compile: { mode } });
  const after = await scoreOld(model, plain, profile);
  return after.flatMap((session, n) =>
    session.parts.flatMap((part, p) => [...part.old!].map((l, t) => l - before[n]!.parts[p]!.old![t]!)),
  );
}
