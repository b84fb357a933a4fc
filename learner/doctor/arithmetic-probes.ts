/** What the engine computes: probed by what a small step changes, since a reported number can be right where the gradient is not. */
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

export const near = (value: number | null, expected: number, tolerance = 0.2) =>
  value !== null && Math.abs(value - expected) <= tolerance;
export const shown = (value: number | null) => (value === null ? "nothing measurable" : value.toFixed(2));

/** How large `effect` is in terms of `unit`, by what it changed. */
export const ratio = (effect: Effect, unit: Effect) => times(effect.change, unit.change);

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
