/**
 * What the steps of a training run work with: settings, the learner, threads to sample on, and who is told.
 *
 * Steps are functions (state, deps) → next state. Everything alive is here, and all of it can be lost: a process that was
 * killed makes new deps, takes the last state, and goes on.
 */
import type { Source } from "../../retrieval/source.ts";
import type { SamplingThreads } from "../../rollouts/pool/sampling-threads.ts";
import type { HabitSource } from "../habits/habit-rates.ts";
import type { RlRecipe } from "../recipes/recipe.ts";
import type { DataPlan } from "./data-plan.ts";
import type { LineLog } from "./line-log.ts";
import type { EvaluationLine, HabitRates, MetricsLine, TimingLine } from "./metrics-line.ts";
import type { Prefetch } from "./prefetch.ts";
import type { StepName, TrainingState } from "./state.ts";
import type { TrainingLearner } from "./training-learner.ts";
import type { Workspace } from "./workspace.ts";

/** Rates of behaviours in finished sessions (trainers/habits). */
export type HabitRatesOf = (sources: readonly HabitSource[]) => Promise<HabitRates>;

/** What a watcher is told, in the order in which it happens. */
export type TrainingEvent =
  /** A step begins. `update` is the one that it belongs to; 0 is the evaluation before the first. */
  | { readonly kind: "step"; readonly step: StepName; readonly update: number }
  /** Sessions of a rollout or of an evaluation. */
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
  /** A sentence for people: a learner that is waited for, what was thrown away, what is done again. */
  | { readonly kind: "notice"; readonly sentence: string };

export interface TrainingLines {
  readonly metrics: LineLog<MetricsLine>;
  readonly timing: LineLog<TimingLine>;
  readonly evaluations: LineLog<EvaluationLine>;
}

export interface TrainingDeps {
  /** The run's folder, absolute or relative to the process. */
  readonly folder: string;
  readonly recipe: RlRecipe;
  readonly seed: number;
  /** Version of this package. */
  readonly umagraph: string;
  readonly learner: TrainingLearner;
  /** Null: sessions run on this thread. */
  readonly threads: SamplingThreads | null;
  /** Sessions under way at once. */
  readonly concurrency: number;
  readonly openSource: (chunks: readonly string[]) => Source;
  readonly data: DataPlan;
  readonly habitRates: HabitRatesOf;
  readonly lines: TrainingLines;
  readonly workspace: Workspace;
  readonly prefetch: Prefetch;
  /** Seconds by step of the update under way. */
  readonly clock: Record<string, number>;
  /** How long the sessions of the update under way were sampled; null when some of them were there already. */
  readonly sampling: { seconds: number | null };
  /** The state that the run began with. */
  readonly first: TrainingState;
  /** Asked between sessions and steps: true ends the run in order, to be resumed. */
  readonly stopping: () => boolean;
  /** Cuts what is running short. */
  readonly signal: AbortSignal;
  readonly tell: (event: TrainingEvent) => void;
}

/** One node of the trainer's graph. It reads the state and never changes it. */
export type TrainingStep = (state: TrainingState, deps: TrainingDeps) => Promise<TrainingState>;
