/** What a training run came to: scores with intervals, habits before and after, where things are. */
import { exitCodes } from "../../base/errors.ts";
import { readJsonl } from "../../base/jsonl.ts";
import type { EvaluationLine, HabitRates, TimingLine } from "../../trainers/run/metrics-line.ts";
import type { TrainingState } from "../../trainers/run/state.ts";
import { trainingFiles } from "../../trainers/run/training-folder.ts";

export interface TrainingOutcome {
  /** `complete`, `halted` by a guard rail, or `stopped` to be gone on with. */
  readonly end: "complete" | "halted" | "stopped";
  readonly updates: number;
  readonly initial: Score | null;
  readonly final: Score | null;
  readonly best: Score | null;
  /** Of the sampled held-out sessions, at the first and the last evaluation. */
  readonly habits: { readonly before: HabitRates | null; readonly after: HabitRates | null };
  readonly halted: TrainingState["halted"];
  /** The page of curves; null when it could not be written. */
  readonly report: string | null;
  /** Of the steps of all updates, stops not counted. */
  readonly minutes: number;
}

type Score = Pick<EvaluationLine, "update" | "sampled" | "greedy">;

export function trainingOutcome(
  folder: string,
  state: TrainingState,
  { report }: Pick<TrainingOutcome, "report">,
): TrainingOutcome {
  const evaluations = readJsonl<EvaluationLine>(trainingFiles.evaluations(folder)).values;
  const timing = readJsonl<TimingLine>(trainingFiles.timing(folder)).values;
  const [first, last] = [evaluations.at(0), evaluations.at(-1)];
  const best = evaluations.find(({ update }) => update === state.best?.update);
  const seconds = timing.flatMap((line) => Object.values(line.seconds)).reduce((sum, value) => sum + value, 0);
  return {
    end: state.halted ? "halted" : state.next === null ? "complete" : "stopped",
    updates: state.update,
    initial: first ? scoreOf(first) : null,
    final: last ? scoreOf(last) : null,
    best: best ? scoreOf(best) : null,
    habits: { before: first?.habits ?? null, after: last?.habits ?? null },
    ...{ halted: state.halted, report },
    minutes: seconds / 60,
  };
}

const scoreOf = ({ update, sampled, greedy }: EvaluationLine): Score => ({ update, sampled, greedy });

/** A run that was stopped because its minutes were over did what was asked. */
export const exitCodeOf = ({ end }: TrainingOutcome, interrupted: boolean): number =>
  end === "halted" ? exitCodes.failure : end === "stopped" && interrupted ? exitCodes.cancelled : exitCodes.ok;
