/** A training run as the checkpointed graph, from where its folder stands to its end or to where it is stopped. */
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Database from "better-sqlite3";
import { messageOf, UmaError } from "../../base/errors.ts";
import { openTraining, type TrainingOptions } from "../run/open-training.ts";
import type { TrainingState } from "../run/state.ts";
import { trainingFiles } from "../run/training-folder.ts";
import { placeOf } from "./place-of.ts";
import { createTrainerGraph } from "./trainer.ts";
import { hostOf } from "./training-host.ts";

/** The one thread of a run folder's state.sqlite. */
const THREAD = "training";

export interface TrainerOptions extends TrainingOptions {
  /** Asked between two updates: true ends the run in order, to be gone on with. */
  readonly enough?: () => boolean;
}

/** Gives the state in which the run ended or was stopped. Throws what a step throws, and `store` when the state cannot be kept. */
export async function runTrainer({ enough, ...options }: TrainerOptions): Promise<TrainingState> {
  const training = await openTraining(options);
  try {
    const checkpointer = openCheckpoints(trainingFiles.state(training.deps.folder));
    try {
      const graph = createTrainerGraph(
        hostOf(training, { enough: ({ next }) => next === "collect" && (enough?.() ?? false) }),
        { checkpointer },
      );
      const { recipe, seed } = options;
      const input = { recipe: recipe.name, scale: options.scale ?? "", seed };
      return placeOf(
        await graph.invoke(input, { configurable: { thread_id: THREAD }, durability: "sync" }).catch(keepingFailed),
      );
    } finally {
      checkpointer.db.close();
    }
  } finally {
    await training.close();
  }
}

function openCheckpoints(path: string): SqliteSaver {
  try {
    return new SqliteSaver(new Database(path));
  } catch (cause) {
    throw stateNotKept(path, cause);
  }
}

/** SQLite's own errors have codes of its own. */
function keepingFailed(thrown: unknown): never {
  const code = (thrown as { code?: unknown } | null)?.code;
  throw typeof code === "string" && code.startsWith("SQLITE_") ? stateNotKept("state.sqlite", thrown) : thrown;
}

const stateNotKept = (path: string, cause: unknown) =>
  new UmaError("store", `the state of the run cannot be kept in ${path}: ${messageOf(cause)}`, {
    fix: "free some space and go on: what was finished before is kept",
    cause,
  });
