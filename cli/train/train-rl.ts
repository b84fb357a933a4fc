/** One reinforced run, from its folder to its report: learner, checkpointed graph, live view, stop in order. */
import { join } from "node:path";
import { UmaError } from "../../base/errors.ts";
import { readJsonl } from "../../base/jsonl.ts";
import { packageVersion } from "../../base/package-version.ts";
import { takeProcessLock } from "../../base/process-lock.ts";
import { stateToGoOnFrom } from "../../trainers/graph/checkpoints.ts";
import { runTrainer } from "../../trainers/graph/run-trainer.ts";
import { thisMachine } from "../../trainers/recipes/machine.ts";
import { modelPlace } from "../../trainers/recipes/model-place.ts";
import type { RlRecipe, Scale } from "../../trainers/recipes/recipe.ts";
import { refuseTooLarge } from "../../trainers/recipes/refuse-too-large.ts";
import { writeTrainingReport } from "../../trainers/report/write-training-report.ts";
import { isComplete } from "../../trainers/run/is-complete.ts";
import type { EvaluationLine, MetricsLine, TimingLine } from "../../trainers/run/metrics-line.ts";
import type { TrainingState } from "../../trainers/run/state.ts";
import { refuseFolder } from "../../trainers/run/training-config.ts";
import { trainingFiles } from "../../trainers/run/training-folder.ts";
import type { Terminal } from "../terminal.ts";
import { isEmbedded, openLearner } from "./open-learner.ts";
import { type Surroundings, sayingHowToGoOn } from "./surroundings.ts";
import { type TrainingOutcome, trainingOutcome } from "./training-outcome.ts";
import { trainingView } from "./training-view.ts";
import { watchTraining } from "./watch-training.ts";

export interface PlannedRl {
  readonly recipe: RlRecipe;
  readonly scale: Scale | null;
  readonly seed: number;
  readonly folder: string;
  readonly resume: boolean;
}

/** Throws what cannot be run, and what broke; what was finished before is kept, and the message says how to go on. */
export async function trainRl(plan: PlannedRl, around: Surroundings): Promise<TrainingOutcome> {
  const { recipe, folder, seed, scale, resume } = plan;
  const { flags, interrupt, terminal } = around;
  // whatever can be refused is, before a learner is started
  if (isEmbedded(flags)) await refuseTooLarge(recipe, thisMachine());
  refuseFolder(plan);
  if (resume) takeProcessLock(join(folder, "lock"), `training of ${folder}`).release();
  const kept = resume ? await stateToGoOnFrom(folder) : null;
  // nothing is left that a learner would be needed for
  if (kept && kept.next === null && !kept.halted && isComplete(kept, recipe)) return outcomeOf(plan, kept, terminal);
  const watch = watchTraining(
    trainingView({
      ...{ recipe, seed },
      metrics: readJsonl<MetricsLine>(trainingFiles.metrics(folder)).values,
      evaluations: readJsonl<EvaluationLine>(trainingFiles.evaluations(folder)).values,
      timing: readJsonl<TimingLine>(trainingFiles.timing(folder)).values,
    }),
    terminal,
  );
  around.watched(watch);
  const over = timeLimit(flags.minutes);
  try {
    const learner = await openLearner({
      ...{ folder, flags, model: modelPlace(recipe.model), loraRank: recipe.loraRank },
      ...{ say: watch.note, signal: interrupt.asked },
    });
    try {
      const state = await runTrainer({
        ...{ folder, recipe, seed, scale, resume, learner: learner.place, umagraph: packageVersion() },
        pool: flags.pool ?? (recipe.sampler === "in-process" ? thisMachine().cores : 0),
        ...(flags.concurrency !== undefined && { concurrency: flags.concurrency }),
        stopping: interrupt.stopping,
        enough: over,
        signal: interrupt.signal,
        tell: watch.tell,
      });
      return outcomeOf(plan, state, { note: watch.note });
    } finally {
      await learner.close({ atOnce: interrupt.signal.aborted });
    }
  } catch (thrown) {
    throw sayingHowToGoOn(thrown, folder);
  } finally {
    watch.end();
    around.watched(null);
  }
}

/** With the report, which is worth less than the run: that it cannot be written is only said. */
function outcomeOf({ folder }: PlannedRl, state: TrainingState, { note }: Pick<Terminal, "note">): TrainingOutcome {
  let report: string | null = null;
  try {
    writeTrainingReport(folder, { halted: state.halted });
    report = trainingFiles.report(folder);
  } catch (thrown) {
    if (!(thrown instanceof UmaError)) throw thrown;
    note(`the report was not written: ${thrown.message}; umagraph report ${folder} tries again`);
  }
  return trainingOutcome(folder, state, { report });
}

function timeLimit(minutes: number | undefined): () => boolean {
  const end = minutes === undefined ? Number.POSITIVE_INFINITY : performance.now() + minutes * 60_000;
  return () => performance.now() >= end;
}
