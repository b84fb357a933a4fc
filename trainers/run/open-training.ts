/** Opens a training run: a new folder or one to go on with, its lock, the learner, threads, data. */
import type { LearnerClientOptions } from "../../learner/client/learner-client.ts";
import type { RlRecipe } from "../recipes/recipe.ts";
import type { HabitRatesOf, TrainingDeps, TrainingEvent } from "./deps.ts";
import type { TrainingState } from "./state.ts";

export interface LearnerPlace {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly profile?: LearnerClientOptions["profile"];
  /** Its checkpoint folder, when it is ours and on this machine: old weights are cleared away, the best are kept in `best/`. */
  readonly checkpoints: string | null;
  /** Asked when the learner is gone: brings it back and gives its address. Without it, it is waited for where it was. */
  readonly revive?: (signal: AbortSignal) => Promise<string>;
}

export interface TrainingOptions {
  readonly folder: string;
  readonly recipe: RlRecipe;
  readonly seed: number;
  /** As it was asked for; only kept in training.json. */
  readonly scale?: string | null;
  readonly umagraph: string;
  readonly learner: LearnerPlace;
  /** The folder of `recipe.model` on this machine; `sampler: in-process` needs it. */
  readonly modelFolder: string | null;
  /** Threads to sample on; 0 for this one. */
  readonly pool?: number;
  readonly concurrency?: number;
  /** Goes on with the folder's run; without it a folder that holds one is refused. */
  readonly resume?: boolean;
  readonly habitRates?: HabitRatesOf;
  readonly stopping?: () => boolean;
  readonly signal?: AbortSignal;
  readonly tell?: (event: TrainingEvent) => void;
}

export interface Training {
  readonly deps: TrainingDeps;
  /** Of a new run. */
  readonly first: TrainingState;
  /** Brings folder and state together after a stop: cuts files back, and redoes from the records what was not saved. */
  resumed(state: TrainingState): Promise<TrainingState>;
  /** Lets go of learner, threads and lock. */
  close(): Promise<void>;
}

/** Throws `config` for a recipe that cannot be run, a taken folder or one of another recipe; `conflict` while another process works on it. */
export async function openTraining(_options: TrainingOptions): Promise<Training> {
  throw new Error("not built yet");
}
