/**
 * Supervised training through the learner protocol (contract: embedded policy): batches of teacher sessions, one optimiser
 * step each, the learning rate ours, a checkpoint now and then, a line of metrics for what happened since the last.
 *
 * `state.json` is written after the checkpoint it names, so a run that is killed goes on from a state that is there.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { openJsonl } from "../../base/jsonl.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { type Adam, type LearnerClient, profileFrom, type TrainedModel } from "../../learner/index.ts";
import { type LearningRate, learningRateAt } from "../update/learning-rate.ts";
import { exampleOrder, type OrderOptions, type Place } from "./example-order.ts";
import { type Example, supervisedBatch } from "./supervised-batch.ts";

export interface SupervisedOptions {
  readonly client: LearnerClient;
  /** What the server calls the model to begin with. */
  readonly baseModel: string;
  /** Metrics, state and settings are written here. */
  readonly folder: string;
  readonly examples: readonly Example[];
  /** Scored at every report, never trained on. */
  readonly heldOut?: readonly Example[];
  readonly steps: number;
  readonly batchTokens: number;
  readonly contextWeight: number;
  readonly learningRate: LearningRate;
  readonly shortFirst?: OrderOptions["shortFirst"];
  readonly adam?: Omit<Adam, "learningRate">;
  readonly seed: number;
  readonly reportEvery: number;
  readonly checkpointEvery: number;
  /** Goes on from `state.json` where there is one. */
  readonly resume?: boolean;
  readonly signal?: AbortSignal;
  readonly onReport?: (report: SupervisedReport) => void;
}

export interface SupervisedReport {
  readonly step: number;
  readonly epoch: number;
  readonly tokens: number;
  readonly learningRate: number;
  /** Mean −log p of the teacher's tokens since the last report, nats. */
  readonly loss: number;
  readonly gradNorm: number | null;
  readonly seconds: number;
  readonly heldOut: HeldOutScore | null;
}

export interface HeldOutScore {
  /** Mean −log p of the teacher's tokens, nats. */
  readonly loss: number;
  /** Mean probability that a memory session (a QA session) is sampled exactly as the teacher's. */
  readonly memory: number | null;
  readonly qa: number | null;
}

const State = z.object({
  step: z.int(),
  tokens: z.number(),
  place: z.object({ epoch: z.int(), at: z.int() }),
  checkpoint: z.string(),
  seconds: z.number(),
});

/** Gives the model after the last step. Throws `config` for a folder whose run was begun otherwise, and whatever the client throws. */
export async function trainSupervised(options: SupervisedOptions): Promise<TrainedModel> {
  const { client, folder, examples, steps, signal } = options;
  if (examples.length === 0) throw new UmaError("input", "supervised training: expected examples, got none");
  const profile = profileFrom(client.profile);
  makeFolder(folder, "choose a writable place for the run");
  const statePath = join(folder, "state.json");
  const known =
    options.resume && existsSync(statePath) ? State.parse(JSON.parse(readFileSync(statePath, "utf8"))) : null;
  const model = known
    ? await client.createModelFrom(known.checkpoint, { optimizer: true })
    : await client.createModel({ baseModel: options.baseModel, full: true });
  const order = exampleOrder(
    examples.map(({ part }) => part.ids.length),
    options,
  );
  const metricsPath = join(folder, "metrics.jsonl");
  if (existsSync(metricsPath)) cutReports(metricsPath, known?.step ?? 0);
  const metrics = openJsonl(metricsPath, { fsync: false });
  let place: Place = known?.place ?? { epoch: 0, at: 0 };
  let tokens = known?.tokens ?? 0;
  const begun = Date.now() - (known?.seconds ?? 0) * 1000;
  const secondsSoFar = () => Math.round((Date.now() - begun) / 100) / 10;
  let lossSum = 0;
  let trainedSum = 0;
  let gradNorm: number | null = null;

  try {
    /** One step is under way while the next is being encoded. */
    let pending: Promise<void> | null = null;
    for (let step = known?.step ?? 0; step < steps; step++) {
      signal?.throwIfAborted();
      const { members, next } = order.batchAt(place);
      const batch = supervisedBatch(
        members.map((member) => examples[member]!),
        profile,
        options,
      );
      const learningRate = learningRateAt(step, steps, options.learningRate);
      const gradient = model.forwardBackward(batch.datums, "cross_entropy", {}, signal && { signal });
      const stepped = model.optimStep({ ...options.adam, learningRate }, signal && { signal });
      const own = Promise.all([gradient, stepped]).then(([{ logprobs }, { metrics: done }]) => {
        members.forEach((member, i) => {
          lossSum -= trainedLogprob(examples[member]!, logprobs[i]!);
        });
        trainedSum += batch.trained;
        gradNorm = done.grad_norm ?? done["grad_norm:mean"] ?? null;
      });
      own.catch(() => {});
      await pending;
      pending = own;
      place = next;
      tokens += batch.tokens;
      const done = step + 1;
      const last = done === steps;
      if (last || done % options.reportEvery === 0 || done % options.checkpointEvery === 0) {
        await pending;
        pending = null;
      }
      if (last || done % options.reportEvery === 0) {
        const heldOut = options.heldOut?.length ? await score(model, options.heldOut, profile) : null;
        const report: SupervisedReport = {
          ...{ step: done, epoch: place.epoch, tokens, learningRate, loss: lossSum / trainedSum, gradNorm },
          ...{ seconds: secondsSoFar(), heldOut },
        };
        metrics.append(report);
        options.onReport?.(report);
        lossSum = 0;
        trainedSum = 0;
      }
      if (last || done % options.checkpointEvery === 0) {
        // two names in turn: the state that `state.json` names is never the one that is being written
        const name = `sft-${Math.ceil(done / options.checkpointEvery) % 2}`;
        const checkpoint = await model.saveState(name, { overwrite: true });
        const state: z.infer<typeof State> = { step: done, tokens, place, checkpoint, seconds: secondsSoFar() };
        writeFileSync(`${statePath}.tmp`, `${JSON.stringify(state)}\n`);
        renameSync(`${statePath}.tmp`, statePath);
      }
    }
    await pending;
    return model;
  } finally {
    metrics.close();
  }
}

/** What came after the state is reported anew. A line that was being written when the process died goes too. */
function cutReports(path: string, step: number): void {
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  const kept = lines.filter((line) => (JSON.parse(line) as SupervisedReport).step <= step);
  if (kept.length < lines.length) writeFileSync(path, kept.map((line) => `${line}\n`).join(""));
}

/** Σ log p of what the teacher wrote. */
function trainedLogprob({ part: { mask } }: Example, logprobs: Float32Array): number {
  let sum = 0;
  for (let t = 1; t < mask.length; t++) if (mask[t] === 1) sum += logprobs[t - 1]!;
  return sum;
}

async function score(
  model: TrainedModel,
  examples: readonly Example[],
  profile: ReturnType<typeof profileFrom>,
): Promise<HeldOutScore> {
  const { datums, trained } = supervisedBatch(examples, profile, { contextWeight: 0 });
  const { logprobs } = await model.forward(datums);
  const sums = examples.map((example, i) => ({ stage: example.stage, sum: trainedLogprob(example, logprobs[i]!) }));
  const exactly = (stage: Example["stage"]) => {
    const own = sums.filter((session) => session.stage === stage);
    return own.length === 0 ? null : own.reduce((total, { sum }) => total + Math.exp(sum), 0) / own.length;
  };
  return {
    loss: -sums.reduce((total, { sum }) => total + sum, 0) / trained,
    memory: exactly("memory"),
    qa: exactly("qa"),
  };
}
