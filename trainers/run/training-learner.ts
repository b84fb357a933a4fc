/**
 * The learner as a training run uses it: one model, always known by how many updates it has had.
 *
 * A server that dies takes its models along, and what of an update it had done with them. So work on the model is given as a
 * function, which is called again on a model made from the last saved state once the learner is back: an update happens whole
 * or not at all.
 */
import { basename, join, relative, resolve } from "node:path";
import { messageOf, UmaError } from "../../base/errors.ts";
import { sleep } from "../../learner/client/backoff.ts";
import { createLearnerClient, type LearnerClient } from "../../learner/client/learner-client.ts";
import { CallFailed } from "../../learner/client/poll.ts";
import type { TrainedModel } from "../../learner/client/trained-model.ts";
import type { EngineProfile } from "../../learner/engines/engine-profile.ts";
import { profileFrom } from "../../learner/engines/engine-profiles.ts";
import type { RlRecipe } from "../recipes/recipe.ts";
import type { ReferenceScores } from "../update/score-update.ts";
import type { TrainingEvent } from "./deps.ts";
import { GuardTripped, notFinite } from "./guards.ts";
import type { LearnerPlace } from "./learner-place.ts";
import type { SavedState } from "./state.ts";

/** The model's state is behind the run's, and the live model is gone: updates since then have to be done again. */
export class Behind extends Error {}

export interface ModelAt {
  /** How many updates the model must have had. */
  readonly update: number;
  /** What it can be made from when there is no live one; null for the model that training starts from. */
  readonly saved: Pick<SavedState, "update" | "path"> | null;
  /** How many it has had when the work is done. */
  readonly after: number;
}

export interface LiveModel {
  readonly model: TrainedModel;
  /** The frozen model that training started from. */
  reference(): Promise<ReferenceScores>;
}

export interface TrainingLearner {
  readonly profile: EngineProfile;
  /** Its checkpoint folder on this machine, or null. */
  readonly checkpoints: string | null;
  address(): Pick<LearnerPlace, "baseURL" | "apiKey">;
  /** What it calls the model that training starts from. */
  baseModel(): Promise<string>;
  /**
   * Does work on the model, again from the saved state when the learner went away. Throws `Behind`, `GuardTripped` for numbers that
   * are not finite, and what no repetition mends.
   */
  use<Result>(at: ModelAt, work: (live: LiveModel) => Promise<Result>): Promise<Result>;
  close(): Promise<void>;
}

export interface TrainingLearnerOptions {
  readonly place: LearnerPlace;
  readonly recipe: Pick<RlRecipe, "model" | "loraRank" | "sampler">;
  readonly seed: number;
  readonly signal: AbortSignal;
  readonly tell: (event: TrainingEvent) => void;
}

const PATIENCE_MS = 600_000;
const FIRST_WAIT_MS = 1_000;
const MOST_WAIT_MS = 30_000;
/** Failures of the engine itself, such as memory that was short for a moment. */
const ENGINE_TRIES = 3;

interface Connected {
  readonly client: LearnerClient;
  readonly baseModel: string;
  reference: Promise<ReferenceScores> | null;
  live: { readonly model: TrainedModel; update: number } | null;
}

export function trainingLearner(options: TrainingLearnerOptions): TrainingLearner {
  const { place, recipe, signal, tell } = options;
  const profile = profileFrom(place.profile ?? "embedded");
  let { baseURL } = place;
  let connected: Connected | null = null;
  const say = (sentence: string) => tell({ kind: "notice", sentence });

  const connect = async (): Promise<Connected> => {
    if (connected) return connected;
    const client = await createLearnerClient({
      ...{ baseURL, profile, signal, tags: ["umagraph", "train"] },
      ...(place.apiKey !== undefined && { apiKey: place.apiKey }),
      // a learner that is gone is waited for here, where it can be said
      limits: { retryForMs: 30_000, unreachableForMs: profile.name === "embedded" ? 20_000 : 120_000, ...place.limits },
      onWarning: say,
    });
    try {
      const baseModel = await baseModelOf(client, recipe.model, place.baseModel);
      connected = { client, baseModel, reference: null, live: null };
      return connected;
    } catch (thrown) {
      await client.close();
      throw thrown;
    }
  };
  const drop = async () => {
    const { client } = connected ?? {};
    connected = null;
    await client?.close().catch(() => {});
  };

  const newModel = ({ client, baseModel }: Connected) =>
    client.createModel({
      ...{ baseModel, signal },
      ...(recipe.loraRank === null ? { full: true } : { lora: { rank: recipe.loraRank, seed: options.seed } }),
    });
  const modelAt = async (at: ModelAt, here: Connected): Promise<TrainedModel> => {
    if (here.live?.update === at.update) return here.live.model;
    if (at.update !== (at.saved?.update ?? 0)) throw new Behind();
    const model = at.saved === null ? await newModel(here) : await loaded(here.client, at.saved, signal);
    here.live = { model, update: at.update };
    return model;
  };
  const reference = (here: Connected): Promise<ReferenceScores> => {
    // a small model costs nothing twice and is scored in one call; a large one is held once and asked through its sampler
    here.reference ??=
      recipe.sampler === "in-process"
        ? newModel(here)
        : here.client.createSampler({ baseModel: here.baseModel }, { signal });
    return here.reference;
  };

  return {
    profile,
    checkpoints: place.checkpoints,
    address: () => ({ baseURL, ...(place.apiKey !== undefined && { apiKey: place.apiKey }) }),
    baseModel: async () => (await connect()).baseModel,
    async use(at, work) {
      const until = performance.now() + (place.patienceMs ?? PATIENCE_MS);
      let engineFailures = 0;
      for (let waits = 0; ; waits++) {
        try {
          const here = await connect();
          const model = await modelAt(at, here);
          const result = await work({ model, reference: () => reference(here) });
          here.live = { model, update: at.after };
          return result;
        } catch (thrown) {
          if (thrown instanceof Behind) throw thrown;
          // whatever it has accumulated must not be in the next step
          await drop();
          if (signal.aborted) throw thrown;
          const engineFault = thrown instanceof CallFailed && thrown.code === "provider";
          if (engineFault) engineFailures++;
          const final = finalFailure(thrown);
          if (final) throw final;
          const wait = Math.min(FIRST_WAIT_MS * 2 ** waits, MOST_WAIT_MS);
          if (performance.now() + wait > until || engineFailures >= ENGINE_TRIES) throw lastWord(thrown);
          say(
            `The learner at ${baseURL} does not serve its model any more (${messageOf(thrown)}). Trying again in ${wait / 1_000} s, from the last saved state.`,
          );
          await sleep(wait, signal);
          if (place.revive && !engineFault) baseURL = await place.revive(signal);
        }
      }
    },
    close: drop,
  };
}

async function baseModelOf(client: LearnerClient, model: string, named: string | undefined): Promise<string> {
  const served = (await client.capabilities()).supported_models.flatMap(({ model_name }) => model_name ?? []);
  const wanted = named === undefined ? [model, basename(model)] : [named];
  const found = served.find((name) => wanted.includes(name));
  if (found !== undefined) return found;
  throw new UmaError(
    "config",
    `the recipe trains ${named ?? model}, and the learner serves ${served.join(", ") || "no model that it names"}`,
    { fix: "start the learner with --model of the recipe's model" },
  );
}

async function loaded(
  client: LearnerClient,
  saved: Pick<SavedState, "update" | "path">,
  signal: AbortSignal,
): Promise<TrainedModel> {
  try {
    return await client.createModelFrom(saved.path, { optimizer: true, signal });
  } catch (thrown) {
    if (!(thrown instanceof UmaError) || (thrown.code !== "input" && !/does not exist/.test(thrown.message)))
      throw thrown;
    throw new UmaError("store", `the learner cannot load its state after update ${saved.update}: ${thrown.message}`, {
      fix: `give it back the checkpoint folder that holds ${saved.path}; without it start anew, from the best checkpoint (best/) as model`,
      cause: thrown,
    });
  }
}

/** What no repetition mends, in words; null for what may pass. */
function finalFailure(thrown: unknown): unknown {
  if (!(thrown instanceof UmaError)) return thrown;
  const { message, code } = thrown;
  if (/finite/.test(message)) return new GuardTripped(notFinite(/gradient/.test(message) ? "gradients" : "losses"));
  if (/no space left|ENOSPC|disk quota|disk is full/i.test(message))
    return new UmaError("store", `the learner cannot save its state: ${message}`, {
      fix: "free some space where its checkpoints are, and go on with --resume: the last saved state is whole",
      cause: thrown,
    });
  return code === "provider" ? null : thrown;
}

const lastWord = (thrown: unknown) =>
  new UmaError("provider", `the learner did not come back: ${messageOf(thrown)}`, {
    fix: "start it again on its checkpoint folder, and go on with --resume",
    cause: thrown,
  });

/** Where what the learner calls `path` lies on this machine: `tinker://<run>/<kind>/<name>`, colons written as "~". */
export function checkpointFolder(checkpoints: string, path: string): string | null {
  const [, run, kind, name] = /^tinker:\/\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  if (run === undefined || kind === undefined || name === undefined) return null;
  return join(checkpoints, run.replaceAll(":", "~"), kind, name);
}

/** Whether the checkpoints are the run's own, so that old ones may be cleared away. */
export const ownsCheckpoints = (folder: string, checkpoints: string | null): checkpoints is string => {
  if (checkpoints === null) return false;
  const within = relative(resolve(folder), resolve(checkpoints));
  return within !== "" && !within.startsWith("..");
};
