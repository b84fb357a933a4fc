/** What the engine computes: probed by what a small step changes, since a reported number can be right where the gradient is not. */
import { messageOf } from "../../base/errors.ts";
import type { EngineProfile } from "../engines/engine-profile.ts";
import type { ProbeLine } from "./probe-line.ts";
import { difference, meanSize, reported, times } from "./small-step.ts";
import type { Effect, Workbench } from "./workbench.ts";

export interface Finding {
  readonly line: ProbeLine;
  /** What the profile should say. */
  readonly profile?: Partial<EngineProfile>;
}

export type ArithmeticProbe = (bench: Workbench, profile: EngineProfile) => Promise<Finding>;

const near = (value: number | null, expected: number, tolerance = 0.2) =>
  value !== null && Math.abs(value - expected) <= tolerance;
const shown = (value: number | null) => (value === null ? "nothing measurable" : value.toFixed(2));

/** How large `effect` is in terms of `unit`, by what it changed. */
const ratio = (effect: Effect, unit: Effect) => times(effect.change, unit.change);

/** Whether twice the weight moves the model twice as far; all sizes below depend on it. */
export const steps: ArithmeticProbe = async (bench, profile) => {
  const { unit, datum, all } = bench;
  const twice = await bench.effect((model) => model.forwardBackward([datum({ weights: all(2) })], "cross_entropy"));
  const seen = ratio(twice, unit);
  const ok = near(seen, 2);
  return {
    line: {
      probe: "steps",
      checked: "a step of plain gradient descent (betas 0, large eps) with weights 1 and with weights 2",
      saw: `weights 2 changed log-probabilities ${shown(seen)} times as much`,
      meaning: ok
        ? "betas and eps of optim_step are used, and weights scale the gradient"
        : "either the engine ignores betas and eps, so Adam hides the size of a gradient, or it divides by the weights: sessions would not weigh what they should",
      ok,
    },
    profile: { adam: ok ? profile.adam : profile.adam.filter((field) => !["beta1", "beta2", "eps"].includes(field)) },
  };
};

export const reduction: ArithmeticProbe = async (bench, profile) => {
  const { unit, datum, all } = bench;
  const one = datum({ weights: all(1) });
  const outputs: Readonly<Record<string, number>>[] = [];
  const twice = await bench.effect(async (model) => {
    outputs.push((await model.forwardBackward([one, one], "cross_entropy")).metrics);
  });
  await bench.reset();
  outputs.push((await bench.model().forward([one])).metrics);
  const [both = null, single = null] = outputs.map((metrics) => reported(metrics, "loss"));
  const losses = both !== null && single ? both / single : null;
  // where steps hide the size of a gradient, its reported norm has to do
  const norms = twice.gradNorm !== null && unit.gradNorm ? twice.gradNorm / unit.gradNorm : null;
  const seen = profile.adam.includes("eps") ? ratio(twice, unit) : norms;
  const sum = near(seen, 2);
  const ok = sum && (losses === null || near(losses, 2));
  return {
    line: {
      probe: "reduction",
      checked: "one datum against the same datum twice in one call",
      saw: `twice the data gave ${shown(seen)} times the gradient${losses === null ? "" : ` and ${shown(losses)} times the reported loss`}`,
      meaning: ok
        ? "losses are summed: a session weighs the same however an update is cut"
        : sum
          ? "the gradient is a sum, but the reported loss is not: compute losses from log-probabilities"
          : seen === null
            ? "whether losses are summed cannot be told: the engine hides the size of a gradient and reports no norm"
            : near(seen, 1)
              ? "losses are averaged: what a session weighs depends on how an update is cut into calls"
              : "neither a sum nor a mean: weights of sessions cannot be controlled",
      ok,
    },
    profile: seen === null ? {} : { reduction: sum ? "sum" : "mean" },
  };
};

export const signedWeights: ArithmeticProbe = async (bench) => {
  const { unit, datum, all } = bench;
  const down = datum({ weights: all(-1) });
  const alone = ratio(await bench.effect((model) => model.forwardBackward([down], "cross_entropy")), unit);
  const pair = ratio(
    await bench.effect((model) => model.forwardBackward([datum({ weights: all(1) }), down], "cross_entropy")),
    unit,
  );
  const ok = near(alone, -1) && near(pair, 0);
  return {
    line: {
      probe: "signed weights",
      checked: "cross-entropy with weights −1, and with +1 and −1 on the same datum",
      saw: `weights −1 had ${shown(alone)} times the effect of +1; together they had ${shown(pair)} times`,
      meaning: ok
        ? "analytic weights can carry any objective, with its KL term"
        : near(alone, 1)
          ? "the sign of weights is lost: what should become less likely becomes more likely"
          : "negative weights are not taken as they are: objectives that need them cannot be shipped",
      ok,
    },
    profile: { signedWeights: ok },
  };
};

/** At ρ = 1.15 everywhere and A = 1, an upper threshold of 1.1 leaves no gradient, one of 1.3 leaves all of it. */
export const clip: ArithmeticProbe = async (bench, profile) => {
  const { unit, datum, all } = bench;
  await bench.reset();
  const scores = await bench.scores();
  const ppo = (config: Record<string, number>) =>
    bench.effect((model) =>
      model.forwardBackward(
        [datum({ logprobs: scores.map((value) => value - Math.log(1.15)), advantages: all(1) })],
        "ppo",
        config,
      ),
    );
  const inside = ratio(await ppo({ clip_low_threshold: 0.8, clip_high_threshold: 1.3 }), unit);
  const outside = ratio(await ppo({ clip_low_threshold: 0.8, clip_high_threshold: 1.1 }), unit);
  const ok = near(inside, 1.15) && near(outside, 0, 0.1);
  const defaults = ok ? await clipDefaults(bench, scores) : null;
  return {
    line: {
      probe: "clip",
      checked: "ppo at a ratio of 1.15 with thresholds 0.8/1.3 and 0.8/1.1",
      saw: `within them ${shown(inside)} of a whole gradient, beyond them ${shown(outside)}${defaults ? `; without thresholds it clips at ${defaults.low.toFixed(2)}/${defaults.high.toFixed(2)}` : ""}`,
      meaning: ok
        ? "thresholds are ratios, as they are sent"
        : near(outside, 1.15)
          ? "thresholds are not taken as ratios (perhaps as distances from 1): ratios far outside the bounds would still be trained on"
          : "the clipped surrogate is not what it should be",
      ok,
    },
    profile: ok
      ? { clip: { unit: "ratio", defaults: defaults ?? profile.clip.defaults } }
      : near(outside, 1.15)
        ? { clip: { unit: "distance", defaults: profile.clip.defaults } }
        : {},
  };
};

/** From the reported loss with none sent: −Σ min(ρ, high) at A = 1, Σ max(ρ, low) at A = −1. Null where it is not reported as a sum. */
async function clipDefaults(bench: Workbench, scores: Float32Array): Promise<{ low: number; high: number } | null> {
  await bench.reset();
  const n = scores.length;
  const loss = async (rho: number, advantage: number) => {
    const data = [
      bench.datum({ logprobs: scores.map((value) => value - Math.log(rho)), advantages: bench.all(advantage) }),
    ];
    return reported((await bench.model().forward(data, "ppo")).metrics, "loss");
  };
  const [up, down] = [await loss(4, 1), await loss(0.1, -1)];
  if (up === null || down === null) return null;
  const [high, low] = [-up / n, down / n];
  return low > 0 && low < 1 && high > 1 && high < 4 ? { low: round(low), high: round(high) } : null;
}

const round = (value: number) => Math.round(value * 1000) / 1000;

export const accumulation: ArithmeticProbe = async (bench, profile) => {
  const { datum, all } = bench;
  const half = (first: boolean) =>
    datum({ weights: all(0).map((_, t) => (t % 2 === 0 ? 1 : 2) * (first === t < 5 ? 1 : 0)) });
  const together = await bench.effect((model) => model.forwardBackward([half(true), half(false)], "cross_entropy"));
  const apart = await bench.effect(async (model) => {
    await model.forwardBackward([half(true)], "cross_entropy");
    await model.forwardBackward([half(false)], "cross_entropy");
  });
  // two means of one datum each are twice the mean of both
  const expected = together.change.map((value) => (profile.reduction === "mean" ? 2 : 1) * value);
  const gap = meanSize(difference(apart.change, expected)) / meanSize(expected);
  const ok = gap < 0.05;
  return {
    line: {
      probe: "accumulation",
      checked: "two datums in one call against one in each of two calls before the step",
      saw: `the steps differed by ${(100 * gap).toFixed(1)} %`,
      meaning: ok
        ? "gradients add up until the step: an update may be cut into calls"
        : "calls before a step do not add up (perhaps only the last counts): an update has to go in one call",
      ok,
    },
    profile: { accumulates: ok },
  };
};

export const gradientClipping: ArithmeticProbe = async (bench, profile) => {
  const { unit, datum, all } = bench;
  const norm = unit.gradNorm ?? null;
  const bound = norm === null ? 1e-9 : norm / 10;
  const clipped = await bench.effect((model) => model.forwardBackward([datum({ weights: all(1) })], "cross_entropy"), {
    gradClipNorm: bound,
  });
  const seen = ratio(clipped, unit);
  const ok = near(seen, norm === null ? 0 : 0.1, 0.05);
  return {
    line: {
      probe: "gradient clipping",
      checked: `the same step with grad_clip_norm ${bound.toPrecision(2)}${norm === null ? "" : `, a tenth of the gradient's norm of ${norm.toPrecision(3)}`}`,
      saw: `it went ${shown(seen)} times as far`,
      meaning: ok
        ? "grad_clip_norm is used"
        : "grad_clip_norm is ignored: bound the gradient in the server's own settings",
      ok,
    },
    profile: { adam: ok ? profile.adam : profile.adam.filter((field) => field !== "grad_clip_norm") },
  };
};

/** Which losses and tensors are taken at all, without touching the gradient. */
export const losses: ArithmeticProbe = async (bench, profile) => {
  const inputs = { logprobs: bench.start, advantages: bench.all(0) };
  const accepts = async (loss: string, extra: Record<string, Float32Array> = {}, config = {}) =>
    (await trial(
      bench,
      loss,
      loss === "cross_entropy" ? { weights: bench.all(1) } : { ...inputs, ...extra },
      config,
    )) === null;
  const taken: string[] = [];
  for (const loss of ["cross_entropy", "importance_sampling", "ppo", "cispo", "dro", "gspo", "dppo"])
    if (await accepts(loss)) taken.push(loss);
  const kl = await accepts(
    "ppo",
    { ref_logprobs: inputs.logprobs, kl_weights: bench.all(0) },
    { kl_beta: 0.1, kl_kind: 3 },
  );
  const ok = taken.includes("cross_entropy") && taken.includes("ppo");
  return {
    line: {
      probe: "losses",
      checked: "a forward pass with each loss, and ppo with a reference and a KL term",
      saw: `it takes ${taken.join(", ") || "none"}; the KL term ${kl ? "too" : "not"}`,
      meaning: ok
        ? `clipped objectives go in one pass, ${kl ? "with their KL term" : "a KL term needs a forward pass before"}`
        : "cross_entropy and ppo are what training is made of: this engine cannot be used",
      ok,
    },
    profile: {
      losses: taken,
      klExtension: kl ? (profile.klExtension ?? { kinds: ["k1", "k2", "k3", "rho-k3"] }) : null,
    },
  };
};

export const tensors: ArithmeticProbe = async (bench) => {
  const zero = await trial(bench, "cross_entropy", { weights: bench.all(0) });
  const mask = await trial(bench, "ppo", { logprobs: bench.start, advantages: bench.all(1), mask: bench.all(1) });
  const weights = await trial(bench, "ppo", { logprobs: bench.start, advantages: bench.all(1), weights: bench.all(1) });
  const named = [...(mask === null ? ["mask"] : []), ...(weights === null ? ["weights"] : [])];
  return {
    line: {
      probe: "tensors",
      checked: "a datum whose weights are all 0, and ppo with a mask or weights beside it",
      saw: `all zeros ${zero === null ? "are taken" : `are refused (${zero})`}; ppo takes ${named.length > 0 ? named.join(" and ") : "neither mask nor weights"}`,
      meaning:
        zero === null
          ? "sessions without a gradient may be shipped with the others"
          : "a session without a gradient must be left out, or the whole call is refused",
      ok: zero === null,
    },
  };
};

/** Null when it is taken, else the reason. */
async function trial(
  bench: Workbench,
  loss: string,
  inputs: Record<string, Float32Array>,
  config: Record<string, number> = {},
): Promise<string | null> {
  return bench
    .model()
    .forward([bench.datum(inputs)], loss, config)
    .then(() => null, messageOf);
}
