/**
 * What the steps of a training run work with: settings, the learner, threads to sample on, and who is told.
 *
 * Steps are functions (state, deps) → next state. Everything alive is here, and all of it can be lost: a process that was
 * killed makes new deps, takes the last state, and goes on.
 */
import type { SessionRecord } from "../../nodes/session/record.ts";
import type { SamplingThreads } from "../../rollouts/pool/sampling-threads.ts";
import type { RlRecipe } from "../recipes/recipe.ts";
import type { DataPlan } from "./data-plan.ts";
import type { EvaluationLine, HabitRates, MetricsLine, TimingLine } from "./metrics-line.ts";
import type { StepName, TrainingState } from "./state.ts";
import type { TrainingLearner } from "./training-learner.ts";
import type { Workspace } from "./workspace.ts";

/** Rates of behaviours in finished sessions (trainers/habits). */
export type HabitRatesOf = (records: readonly SessionRecord[]) => HabitRates;

/** What a watcher is told, in the order in which it happens. */
export type TrainingEvent =
  | { readonly kind: "step"; readonly step: StepName; readonly update: number }
  /** Sessions of a rollout or of an evaluation. `update` is the one that it belongs to. */
  | {
      readonly kind: "sessions";
      readonly what: "collect" | "prefetch" | "sampled" | "greedy";
      readonly update: number;
      readonly done: number;
      /** Null while contexts are still being loaded. */
      readonly total: number | null;
      readonly failed: number;
    }
  | { readonly kind: "metrics"; readonly line: MetricsLine }
  | { readonly kind: "evaluation"; readonly line: EvaluationLine }
  | { readonly kind: "timing"; readonly line: TimingLine }
  /** A sentence for people: a guard rail's warning, a learner that is waited for, what was thrown away. */
  | { readonly kind: "notice"; readonly sentence: string };

export interface TrainingDeps {
  /** The run's folder, absolute or relative to the process. */
  readonly folder: string;
  readonly recipe: RlRecipe;
  readonly seed: number;
  /** The model that training starts from, as a folder on this machine; null when only the learner has it. */
  readonly modelFolder: string | null;
  readonly learner: TrainingLearner;
  /** Null: sessions run on this thread. */
  readonly threads: SamplingThreads | null;
  /** Sessions under way at once. */
  readonly concurrency: number;
  readonly data: DataPlan;
  readonly habitRates: HabitRatesOf;
  readonly workspace: Workspace;
  /** Asked between sessions and steps: true ends the run in order, to be resumed. */
  readonly stopping: () => boolean;
  /** Cuts what is running short. */
  readonly signal: AbortSignal;
  readonly tell: (event: TrainingEvent) => void;
}

/** One node of the trainer's graph. It reads the state and never changes it. */
export type TrainingStep = (state: TrainingState, deps: TrainingDeps) => Promise<TrainingState>;
