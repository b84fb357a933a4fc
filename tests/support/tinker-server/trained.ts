/** One model of the server: executes calls, in the order of their numbers or as they come. */
import { rng } from "../../../base/rng.ts";
import type { Behaviour } from "./behaviour.ts";
import { type AdamParams, type BigramModel, type BigramState, logSoftmax } from "./bigram-model.ts";
import type { ReadCall } from "./read-forward-body.ts";
import { tokenLoss } from "./token-losses.ts";

/** The request is wrong; the model is as it was. */
export class UserMistake extends Error {}

export interface ForwardDone {
  readonly logprobs: readonly number[][];
  readonly metrics: Readonly<Record<string, number>>;
}

export function runForward(model: BigramModel, call: ReadCall, how: Behaviour): ForwardDone {
  checkCall(call, how);
  const weightOf = { kept: (w: number) => w, absolute: Math.abs, zero: (w: number) => Math.max(w, 0) }[
    how.negativeWeights
  ];
  const losses: { readonly before: number; readonly token: number; readonly coefficient: number }[] = [];
  const tokens = call.data.reduce((sum, datum) => sum + datum.tokens.length, 0);
  let sum = 0;
  const logprobs = call.data.map(({ tokens, inputs }) =>
    tokens.map((before, t) => {
      const token = inputs.target_tokens![t]!;
      const logprob = learnerLogprob(model, before, token, how);
      const loss = tokenLoss(
        call.lossFn,
        {
          logprob,
          old: inputs.logprobs?.[t] ?? 0,
          advantage: inputs.advantages?.[t] ?? 0,
          weight: weightOf(inputs.weights?.[t] ?? 1),
          reference: inputs.ref_logprobs?.[t] ?? 0,
          klWeight: inputs.kl_weights?.[t] ?? 0,
        },
        call.config,
        how.clip,
      );
      if (!loss) throw new UserMistake(`unknown loss_fn ${call.lossFn}`);
      sum += loss.value;
      losses.push({ before, token, coefficient: loss.coefficient });
      return logprob;
    }),
  );
  if (!call.forwardOnly) {
    if (!how.accumulates) model.clearGradient();
    const share = how.reduction === "sum" ? 1 : 1 / tokens;
    for (const { before, token, coefficient } of losses) model.accumulate(before, token, coefficient * share);
  }
  return {
    logprobs,
    metrics: {
      "loss:sum": how.reduction === "mean" ? sum / tokens : sum,
      "tokens:sum": tokens,
      "longest:max": Math.max(...call.data.map((d) => d.tokens.length)),
    },
  };
}

function learnerLogprob(model: BigramModel, before: number, token: number, how: Behaviour): number {
  if (how.learnerTemperature === 1) return model.logprob(before, token);
  const row = model.state().logits.subarray(before * model.vocabulary, (before + 1) * model.vocabulary);
  return logSoftmax(row, how.learnerTemperature)[token]!;
}

const known = ["target_tokens", "weights", "logprobs", "advantages", "ref_logprobs", "kl_weights"];
const required: Record<string, readonly string[]> = {
  cross_entropy: ["target_tokens"],
  importance_sampling: ["target_tokens", "logprobs", "advantages"],
  ppo: ["target_tokens", "logprobs", "advantages"],
  cispo: ["target_tokens", "logprobs", "advantages"],
  dro: ["target_tokens", "logprobs", "advantages"],
};

function checkCall({ data, lossFn }: ReadCall, how: Behaviour): void {
  const needs = required[lossFn];
  if (!needs) throw new UserMistake(`expected a loss_fn of ${Object.keys(required).join(", ")}; got ${lossFn}`);
  data.forEach(({ tokens, inputs }, d) => {
    for (const name of needs) if (!inputs[name]) throw new UserMistake(`datum ${d}: expected ${name}`);
    for (const [name, values] of Object.entries(inputs)) {
      if (!known.includes(name) && how.refusesUnknownTensors)
        throw new UserMistake(`datum ${d}: unknown tensor ${name}`);
      if (values.length !== tokens.length)
        throw new UserMistake(`datum ${d}: ${name} has ${values.length} of ${tokens.length}`);
      if (!values.every(Number.isFinite)) throw new UserMistake(`datum ${d}: ${name} is not finite`);
    }
    for (const id of [...tokens, ...inputs.target_tokens!])
      if (id < 0 || id >= how.vocabulary)
        throw new UserMistake(`datum ${d}: token id ${id} outside the vocabulary of ${how.vocabulary}`);
  });
}

const ignoredBecomes: AdamParams = {
  learning_rate: 0,
  beta1: 0.9,
  beta2: 0.999,
  eps: 1e-8,
  weight_decay: 0,
  grad_clip_norm: 0,
};

export function runStep(model: BigramModel, given: AdamParams, how: Behaviour): Record<string, number> {
  const params = { ...ignoredBecomes, ...Object.fromEntries(how.honoured.map((name) => [name, given[name]])) };
  const { gradNorm } = model.adam(params);
  return how.reportsGradNorm ? { "grad_norm:mean": gradNorm, "learning_rate:mean": params.learning_rate } : {};
}

export interface SampleAsk {
  readonly prompt: readonly number[];
  readonly maxTokens: number;
  readonly numSamples: number;
  readonly temperature: number;
  readonly seed: number;
  readonly stop: readonly number[];
  readonly promptLogprobs: boolean;
}

export interface SampleDone {
  readonly sequences: readonly { readonly tokens: number[]; readonly logprobs: number[]; readonly stop: boolean }[];
  readonly promptLogprobs: readonly number[] | null;
}

/** The first score is NaN. */
export function runSample(state: BigramState, ask: SampleAsk, how: Behaviour): SampleDone {
  const { vocabulary } = how;
  if (ask.prompt.some((id) => id < 0 || id >= vocabulary))
    throw new UserMistake("prompt: token id outside the vocabulary");
  const row = (before: number) => state.logits.subarray(before * vocabulary, (before + 1) * vocabulary);
  const score = (before: number, token: number) => logSoftmax(row(before), how.samplerTemperature)[token]!;
  const sequences = Array.from({ length: ask.numSamples }, (_, s) => {
    const random = rng("tinker-sample", ask.seed, s);
    const tokens: number[] = [];
    const logprobs: number[] = [];
    let before = ask.prompt.at(-1)!;
    while (tokens.length < ask.maxTokens) {
      const probabilities = logSoftmax(row(before), ask.temperature).map(Math.exp);
      let left = random.next();
      let token = 0;
      while (token < vocabulary - 1 && left >= probabilities[token]!) left -= probabilities[token++]!;
      tokens.push(token);
      logprobs.push(score(before, token));
      if (ask.stop.includes(token)) return { tokens, logprobs, stop: true };
      before = token;
    }
    return { tokens, logprobs, stop: false };
  });
  const scored = ask.prompt.map((token, t) => (t === 0 ? Number.NaN : score(ask.prompt[t - 1]!, token)));
  return { sequences, promptLogprobs: ask.promptLogprobs ? scored : null };
}
