/**
 * Which branch of a fan-out a session's record belongs to, so that its row in the table can be written.
 *
 * Records leave a session through a function that knows nothing of the graph around it, and two threads may sample
 * sessions of one name at once. So a branch puts a name of its own into the configuration, which LangGraph hands down to
 * every node inside.
 */
import type { RunnableConfig } from "@langchain/core/runnables";
import { getConfig } from "@langchain/langgraph";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { type SessionSummary, summarize } from "./session-summary.ts";

type TakeRecord = (record: SessionRecord) => void;

export interface SessionBook {
  /** Passes each record on and keeps its summary for the branch that it was made in. */
  noting(record: TakeRecord | undefined): TakeRecord;
  /** The branch's summaries in the order of their first record; they are gone from the book. */
  take(branch: string): SessionSummary[];
}

const BRANCH = "rolloutBranch";

export function sessionBook(): SessionBook {
  const branches = new Map<string, Map<string, SessionSummary>>();
  return {
    noting: (record) => (session) => {
      const branch: unknown = getConfig()?.configurable?.[BRANCH];
      if (typeof branch === "string") {
        const sessions = branches.get(branch) ?? new Map<string, SessionSummary>();
        // by id: a person may have gone back to an earlier checkpoint of a session
        branches.set(branch, sessions.set(session.id, summarize(session)));
      }
      record?.(session);
    },
    take(branch) {
      const sessions = branches.get(branch);
      branches.delete(branch);
      return [...(sessions?.values() ?? [])];
    },
  };
}

/** The name of the branch that a node runs in: the same after a breakpoint, and of no other run. */
export const branchOf = (config: RunnableConfig): string => String(config.configurable?.checkpoint_ns);

export const withinBranch = (config: RunnableConfig): RunnableConfig => ({
  ...config,
  configurable: { ...config.configurable, [BRANCH]: branchOf(config) },
});
