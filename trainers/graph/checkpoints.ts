/** A run folder's state.sqlite: one thread, a checkpoint after every step. */
import { existsSync } from "node:fs";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import Database from "better-sqlite3";
import { messageOf, UmaError } from "../../base/errors.ts";
import { refuseLostState } from "../run/refuse-lost-state.ts";
import type { TrainingState } from "../run/state.ts";
import { trainingFiles } from "../run/training-folder.ts";

/** The one thread of a run folder. */
export const THREAD = "training";

/** Throws `store`. */
export function openCheckpoints(folder: string): SqliteSaver {
  const path = trainingFiles.state(folder);
  try {
    return new SqliteSaver(new Database(path));
  } catch (cause) {
    throw stateNotKept(cause);
  }
}

/** Where a run stood when it ended or was stopped; null before its first step. */
export async function lastState(folder: string): Promise<TrainingState | null> {
  if (!existsSync(trainingFiles.state(folder))) return null;
  const saver = openCheckpoints(folder);
  try {
    const tuple = await saver.getTuple({ configurable: { thread_id: THREAD, checkpoint_ns: "" } });
    return (tuple?.checkpoint.channel_values.training as TrainingState | undefined) ?? null;
  } catch (thrown) {
    throw asStore(thrown);
  } finally {
    saver.db.close();
  }
}

/** The same of a run that is gone on with. Throws `store` when it has trained and its state is lost. */
export async function stateToGoOnFrom(folder: string): Promise<TrainingState | null> {
  const state = await lastState(folder);
  if (state === null) refuseLostState(folder, trainingFiles.state(folder));
  return state;
}

/** SQLite's errors have codes of their own. */
export function asStore(thrown: unknown): unknown {
  const code = (thrown as { code?: unknown } | null)?.code;
  return typeof code === "string" && code.startsWith("SQLITE_") ? stateNotKept(thrown) : thrown;
}

function stateNotKept(cause: unknown): UmaError {
  const damaged = /^SQLITE_(?:CORRUPT|NOTADB)/.test(String((cause as { code?: unknown } | null)?.code));
  return new UmaError(
    "store",
    `the run's state.sqlite cannot be ${damaged ? "read" : "written"}: ${messageOf(cause)}`,
    {
      fix: damaged
        ? "it was damaged from outside: put a copy of it back, or start a new run"
        : "free some space, or make the folder writable: what was finished before is kept",
      cause,
    },
  );
}
