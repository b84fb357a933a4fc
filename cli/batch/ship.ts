/** umagraph batch --learner: takes one update on a learner for real: scores, gradient, step, saved state, weights to sample from. */
import { UmaError } from "../../base/errors.ts";
import type { CreditLog } from "../../evals/credit-log.ts";
import { createLearnerClient, type LearnerClient } from "../../learner/client/learner-client.ts";
import { refuseSilence } from "../../learner/client/refuse-silence.ts";
import type { TrainedModel } from "../../learner/client/trained-model.ts";
import type { EngineProfile } from "../../learner/engines/engine-profile.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { batchSessions } from "../../trainers/batch/batch-sessions.ts";
import { klOf, type Objective } from "../../trainers/objective/objective.ts";
import { applyUpdate, type UpdateStep } from "../../trainers/update/apply-update.ts";

export interface ShipOptions {
  readonly learner: string;
  readonly apiKey?: string | undefined;
  readonly profile: EngineProfile;
  readonly objective: Objective;
  readonly learningRate: number;
  readonly gradClip: number;
  /** Rank of a LoRA; null trains all parameters. Only for a new model. */
  readonly loraRank: number | null;
  /** A saved state to go on from, with its optimiser. */
  readonly from?: string | undefined;
  /** What state and sampler weights are saved as. */
  readonly name: string;
  readonly allowApproximate: boolean;
  readonly allowMixedWeights: boolean;
  /** Train a model on what other weights than its own have sampled. */
  readonly offPolicy: boolean;
  readonly signal?: AbortSignal;
}

export interface Shipped {
  readonly steps: readonly UpdateStep[];
  /** To go on from. */
  readonly state: string;
  /** What the next rollout samples from. */
  readonly weights: string;
}

/** A checkpoint's name, as every engine takes it. */
const NAME = /^[\w][\w.-]{0,127}$/;

/** Throws `conflict` when the sessions were sampled by other weights than those of the model that is trained. */
export async function shipUpdate(
  records: readonly SessionRecord[],
  credit: Pick<CreditLog, "advantages">,
  options: ShipOptions,
): Promise<Shipped> {
  if (!NAME.test(options.name))
    throw new UmaError("config", `--name: expected letters, digits, . _ -, got ${JSON.stringify(options.name)}`);
  const { exact } = batchSessions(records, credit, options);
  if (exact.length === 0) {
    throw new UmaError("input", "nothing to ship: the run's policy is not token-exact", {
      fix: "roll out with --policy learner:<url>",
    });
  }
  const { learner, apiKey, profile, objective, signal } = options;
  await refuseSilence(learner);
  const client = await createLearnerClient({
    ...{ baseURL: learner, profile, tags: ["umagraph batch"] },
    ...(apiKey !== undefined && { apiKey }),
    ...(signal && { signal }),
  });
  try {
    const baseModel = await baseModelOf(client);
    if (!options.offPolicy)
      refuseForeign(records, options.from?.replace("/weights/", "/sampler_weights/") ?? baseModel);
    const model = await openModel(client, baseModel, options);
    const reference = klOf(objective) === null ? null : await client.createSampler({ baseModel });
    const steps = await applyUpdate({
      ...{ model, reference, sessions: exact, objective, profile },
      adam: { learningRate: options.learningRate, gradClipNorm: options.gradClip },
      compile: { allowApproximate: options.allowApproximate },
      ...(signal && { signal }),
    });
    const state = await model.saveState(options.name, { overwrite: true });
    const sampler = await model.publish({ name: options.name });
    return { steps, state, weights: sampler.weightVersion };
  } finally {
    await client.close();
  }
}

/** What a state was published as has its name; a base model is its own. */
function refuseForeign(records: readonly SessionRecord[], trained: string): void {
  for (const { id, trace } of records) {
    const foreign = trace?.turns.find(({ weights }) => weights !== trained);
    if (!foreign) continue;
    throw new UmaError(
      "conflict",
      `${id} was sampled by ${foreign.weights ?? "weights of no version"}, and ${trained} would be trained`,
      {
        fix: "name the state that sampled it with --from, or train on it all the same with --off-policy",
      },
    );
  }
}

async function baseModelOf(client: LearnerClient): Promise<string> {
  const { supported_models } = await client.capabilities();
  const name = supported_models[0]?.model_name;
  if (!name) throw new UmaError("provider", "the learner names no base model");
  return name;
}

function openModel(client: LearnerClient, baseModel: string, options: ShipOptions): Promise<TrainedModel> {
  if (options.from !== undefined) return client.createModelFrom(options.from);
  return client.createModel(
    options.loraRank === null ? { baseModel, full: true } : { baseModel, lora: { rank: options.loraRank, seed: 0 } },
  );
}
