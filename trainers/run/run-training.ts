/**
 * A training run without a graph: the same steps in a plain loop, for programs and tests.
 *
 * The state is kept in `state.json` after every step; the graph keeps its own in `state.sqlite`, so a run is resumed the way it
 * was begun.
 */
import { existsSync, readFileSync } from "node:fs";
import { UmaError } from "../../base/errors.ts";
import { problemSentence, valueProblems } from "../../base/issue-sentence.ts";
import { writeWhole } from "../../evals/run-folder.ts";
import { openTraining, type TrainingOptions } from "./open-training.ts";
import { refuseLostState } from "./refuse-lost-state.ts";
import { nextStep, runStep } from "./run-step.ts";
import { TrainingState } from "./state.ts";
import { isStop } from "./stopped.ts";
import { trainingFiles } from "./training-folder.ts";

export interface TrainingEnd {
  readonly state: TrainingState;
  /** False when it was stopped or halted before its end. */
  readonly complete: boolean;
}

/** Throws what is neither a stop nor a guard rail's halt; the state before stands, and the run can be resumed. */
export async function runTraining(options: TrainingOptions): Promise<TrainingEnd> {
  const path = trainingFiles.plainState(options.folder);
  const kept = options.resume && existsSync(path);
  if (options.resume && !kept) refuseLostState(options.folder, path);
  const training = await openTraining(options);
  try {
    let state = kept ? await training.resumed(readState(path)) : training.first;
    for (let step = nextStep(state); step !== null; step = nextStep(state)) {
      try {
        state = await runStep(step, state, training.deps);
      } catch (thrown) {
        if (!isStop(thrown, training.deps.stopping)) throw thrown;
        return { state, complete: false };
      }
      writeWhole(path, `${JSON.stringify(state)}\n`);
    }
    return { state, complete: state.halted === null };
  } finally {
    await training.close();
  }
}

function readState(path: string): TrainingState {
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new UmaError("input", `${path} cannot be read as a state: ${(cause as Error).message}`, { cause });
  }
  const parsed = TrainingState.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UmaError("input", `${path}: ${problemSentence(valueProblems(parsed.error, value))}`);
}
