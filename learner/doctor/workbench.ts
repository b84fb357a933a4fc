/** A model to try things on: always from the same state, always with the same sequence, its steps small enough to be linear. */
import { messageOf } from "../../base/errors.ts";
import type { CreateModel } from "../client/create-model.ts";
import type { LearnerClient } from "../client/learner-client.ts";
import type { Sample, Sampler } from "../client/sampler.ts";
import type { TrainedModel } from "../client/trained-model.ts";
import type { Datum, LossInputs } from "../wire/datum.ts";
import { difference, meanSize, reported, smallStep } from "./small-step.ts";

export interface Effect {
  /** How each target's log-probability changed, in nats. */
  readonly change: readonly number[];
  /** Norm of the gradient, where the engine reports it. */
  readonly gradNorm: number | null;
}

export interface Workbench {
  readonly client: LearnerClient;
  model(): TrainedModel;
  /** Prompt and sampled completion. */
  readonly sequence: Int32Array;
  readonly sampled: Sample;
  /** Of the untouched model. */
  readonly sampler: Sampler;
  readonly promptLength: number;
  /** The sequence as a datum; `inputs` beside the targets. */
  datum(inputs?: Record<string, Float32Array>): Datum;
  /** A constant for every target. */
  all(value: number): Float32Array;
  /** Log-probabilities of the targets by the untouched model. */
  readonly start: Float32Array;
  scores(): Promise<Float32Array>;
  /** From the saved state: what is accumulated by `accumulate`, one step, and what it changed. */
  effect(
    accumulate: (model: TrainedModel) => Promise<unknown>,
    options?: { readonly gradClipNorm?: number },
  ): Promise<Effect>;
  /** The learning rate of a small step. */
  readonly rate: number;
  /** How far one step of plain cross-entropy on the sequence goes; the measure of all other effects. */
  readonly unit: Effect;
  reset(): Promise<void>;
}

const PROMPT = Int32Array.of(1, 2, 3, 4);
const COMPLETION = 12;
/** Changes are wanted about this large, in nats per token: far above rounding, and still nearly linear. */
const WANTED = 0.02;

export async function prepareWorkbench(client: LearnerClient, wanted: CreateModel): Promise<Workbench> {
  let model = await client.createModel(wanted);
  const sampler = await model.publish();
  const [sampled] = await sampler.sample({ prompt: PROMPT, maxTokens: COMPLETION, seed: 11, stop: [] });
  const sequence = Int32Array.of(...PROMPT, ...sampled!.tokens);
  const path = await model.saveState(`doctor-${client.sessionId}`.replaceAll(/[^\w.-]/g, "-"));
  const length = sequence.length - 1;
  const datum = (inputs: Record<string, Float32Array> = {}): Datum => {
    const lossFnInputs: LossInputs = { target_tokens: sequence.subarray(1), ...inputs };
    return { modelInput: sequence.subarray(0, -1), lossFnInputs };
  };
  const all = (value: number) => new Float32Array(length).fill(value);
  const scores = async () => (await model.forward([datum({ weights: all(1) })])).logprobs[0]!;

  const start = await scores();
  const ways = [
    () => model.loadState(path),
    async () => {
      model = await client.createModelFrom(path);
    },
  ];
  const reset = async () => {
    const failures: string[] = [];
    while (ways.length > 0) {
      try {
        return await ways[0]!();
      } catch (thrown) {
        failures.push(messageOf(thrown));
        ways.shift();
      }
    }
    if (failures.length > 0) throw new Error(`the saved state cannot be loaded again: ${failures.join("; ")}`);
  };

  let rate = 1e-4;
  const effect: Workbench["effect"] = async (accumulate, { gradClipNorm } = {}) => {
    await reset();
    const before = await scores();
    await accumulate(model);
    const step = await model.optimStep({ ...smallStep(rate), ...(gradClipNorm !== undefined && { gradClipNorm }) });
    const change = difference(await scores(), before);
    return { change, gradNorm: reported(step.metrics, "grad_norm") };
  };
  const plain = () => effect((own) => own.forwardBackward([datum({ weights: all(1) })], "cross_entropy"));
  let unit = await plain();
  for (let tries = 0; tries < 8; tries++) {
    const size = meanSize(unit.change);
    if (size > WANTED / 3 && size < 3 * WANTED) break;
    rate *= Math.min(Math.max(WANTED / Math.max(size, 1e-9), 0.01), 100);
    unit = await plain();
  }
  return {
    client,
    model: () => model,
    sequence,
    sampled: sampled!,
    sampler,
    promptLength: PROMPT.length,
    datum,
    all,
    start,
    scores,
    effect,
    unit,
    rate,
    reset,
  };
}
