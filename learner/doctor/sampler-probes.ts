/** Whether sampler and learner are the same model: token by token, and again after a step. */
import { messageOf } from "../../base/errors.ts";
import type { EngineProfile } from "../engines/engine-profile.ts";
import type { ArithmeticProbe } from "./arithmetic-probes.ts";
import { difference, meanSize } from "./small-step.ts";

/** Half precision on either side makes about 0.01 of mean difference; a wrong temperature or shift far more on any trained model. */
const TOLERANCE = 0.02;

export const logprobabilities: ArithmeticProbe = async (bench) => {
  const completion = bench.start.subarray(bench.promptLength - 1);
  const gaps = difference(bench.sampled.logprobs, completion);
  const mean = meanSize(gaps);
  const most = Math.max(...gaps.map(Math.abs));
  await bench.reset();
  const [cooler] = await bench.sampler.sample({
    prompt: bench.sequence.subarray(0, 4),
    maxTokens: 12,
    temperature: 0.5,
    seed: 3,
    stop: [],
  });
  const whole = Int32Array.of(...bench.sequence.subarray(0, 4), ...cooler!.tokens);
  const scored = await bench
    .model()
    .forward([{ modelInput: whole.subarray(0, -1), lossFnInputs: { target_tokens: whole.subarray(1) } }]);
  const raw = meanSize(difference(cooler!.logprobs, scored.logprobs[0]!.subarray(bench.promptLength - 1))) <= TOLERANCE;
  const ok = mean <= TOLERANCE;
  return {
    line: {
      probe: "log-probabilities",
      checked: `${gaps.length} tokens sampled at temperature 1, scored again by a forward pass`,
      saw: `they differ by ${mean.toExponential(1)} on average, ${most.toExponential(1)} at most; at temperature 0.5 the sampler gives those ${raw ? "before" : "after"} temperature`,
      meaning: ok
        ? "ratios of the policy to itself are 1; sample at temperature 1 for training"
        : "sampler and learner disagree about the same weights (another temperature, shift or model): ratios start wrong and every update is off-policy",
      ok,
    },
  };
};

export const publish: ArithmeticProbe = async (bench) => {
  const { sequence, datum, all } = bench;
  await bench.effect((model) => model.forwardBackward([datum({ weights: all(3) })], "cross_entropy"));
  const trained = await bench.scores();
  const sampler = await bench.model().publish();
  const scored = await sampler.computeLogprobs(sequence).then((scores) => scores.subarray(1), messageOf);
  if (typeof scored === "string") return unscored(scored);
  const gap = meanSize(difference(scored, trained));
  const moved = meanSize(difference(trained, bench.start));
  const stale = meanSize(difference(scored, bench.start));
  const ok = gap <= Math.min(TOLERANCE, moved / 2);
  return {
    line: {
      probe: "publish",
      checked: "a step, a publish, and the same sequence scored by learner and sampler",
      saw: `they differ by ${gap.toExponential(1)} on average; the step had changed ${moved.toExponential(1)}`,
      meaning: ok
        ? "the next rollout comes from the new weights"
        : stale < gap
          ? "the sampler still gives the old weights: training would go on without ever seeing its own effect"
          : "the sampler has other weights than the learner",
      ok,
    },
    profile: { promptLogprobs: true },
  };
};

function unscored(reason: string): {
  readonly line: Awaited<ReturnType<ArithmeticProbe>>["line"];
  readonly profile: Partial<EngineProfile>;
} {
  return {
    line: {
      probe: "publish",
      checked: "a step, a publish, and the same sequence scored by learner and sampler",
      saw: `the sampler does not score prompts: ${reason}`,
      meaning: "whether publishing works cannot be told, and a reference has to be scored elsewhere",
      ok: false,
    },
    profile: { promptLogprobs: false },
  };
}
