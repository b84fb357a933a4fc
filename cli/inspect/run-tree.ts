/** A run as a tree: contexts → trajectories → sessions, each with its rewards, its calls and what it cost. Plain JSON. */
import type { AdvantageLine, CreditLog, RewardLine } from "../../evals/credit-log.ts";
import type { RunLog } from "../../evals/reports/read-run.ts";
import { hasFailed } from "../../evals/reports/summary/session-outcomes.ts";
import type { ContextLine } from "../../evals/run-folder.ts";
import type { SessionRecord, Stage } from "../../nodes/session/record.ts";
import type { CallVerdict } from "../../tools/call.ts";

export interface SessionNode {
  readonly id: string;
  readonly stage: Stage;
  /** Chunk k, 0-based; of a QA session the last chunk in memory. */
  readonly position: number;
  readonly question: string | null;
  readonly r_tool: number | null;
  readonly r_outcome: number | null;
  readonly R: number | null;
  readonly A: number | null;
  readonly group: string | null;
  /** Why R, or else A, is null. */
  readonly reason: string | null;
  readonly end: SessionRecord["end"];
  readonly calls: readonly { readonly name: string; readonly verdict: CallVerdict }[];
  /** N_valid and N_total, as the credit's options count. */
  readonly counted: RewardLine["calls"] | null;
  /** Entries added, updated, deleted; null where nothing is kept. */
  readonly writes: { readonly add: number; readonly update: number; readonly delete: number } | null;
  readonly tokens: { readonly prompt: number; readonly interaction: number; readonly completion: number };
}

export interface TrajectoryNode {
  readonly trajectory: number;
  /** The mean outcome of its answers. */
  readonly r_bar: number | null;
  readonly meanA: { readonly memory: number | null; readonly qa: number | null };
  readonly failed: number;
  readonly tokens: number;
  readonly sessions: readonly SessionNode[];
}

export interface ContextNode {
  readonly context: string;
  readonly facets: ContextLine["facets"];
  readonly chunks: number;
  readonly trajectories: readonly TrajectoryNode[];
}

/** Sessions in the order of the stream, then in that of the context's questions, whatever order they finished in. */
export function runTree({ contexts, records }: Pick<RunLog, "contexts" | "records">, credit: CreditLog): ContextNode[] {
  const rewardOf = new Map(credit.rewards.map((line) => [line.session, line]));
  const advantageOf = new Map(credit.advantages.map((line) => [line.session, line]));
  const byContext = new Map<string, SessionRecord[]>();
  for (const record of records) {
    const held = byContext.get(record.context);
    if (held) held.push(record);
    else byContext.set(record.context, [record]);
  }
  return contexts.map(({ id, facets, chunks, questions }) => {
    const own = byContext.get(id) ?? [];
    const placeOf = new Map(questions.map((question, at) => [question.id, at]));
    const trajectories = [...new Set(own.map(({ trajectory }) => trajectory))].sort((a, b) => a - b);
    return {
      context: id,
      facets,
      chunks,
      trajectories: trajectories.map((trajectory) => {
        const sessions = own
          .filter((record) => record.trajectory === trajectory)
          .sort((a, b) => placeIn(a, placeOf) - placeIn(b, placeOf))
          .map((record) => sessionNode(record, rewardOf.get(record.id), advantageOf.get(record.id)));
        return trajectoryNode(trajectory, sessions);
      }),
    };
  });
}

/** Memory sessions before answers. */
const placeIn = ({ stage, position, question }: SessionRecord, places: ReadonlyMap<string, number>) =>
  stage === "memory" ? position - 1e9 : (places.get(question ?? "") ?? places.size);

export function sessionNode(
  record: SessionRecord,
  reward: RewardLine | undefined,
  advantage: AdvantageLine | undefined,
): SessionNode {
  const { id, stage, position, question, end, tokens } = record;
  const writes = record.calls.flatMap((call) => call.writes);
  const count = (op: "add" | "update" | "delete") => writes.filter((write) => write.op === op).length;
  return {
    id,
    stage,
    position,
    question,
    r_tool: reward?.r_tool ?? null,
    r_outcome: reward?.r_outcome ?? null,
    R: reward?.R ?? null,
    A: advantage?.A ?? null,
    group: advantage?.group ?? null,
    reason: reward?.reason ?? advantage?.reason ?? null,
    end,
    calls: record.calls.map(({ name, verdict }) => ({ name, verdict })),
    counted: reward?.calls ?? null,
    writes:
      stage === "memory" && !hasFailed(record)
        ? { add: count("add"), update: count("update"), delete: count("delete") }
        : null,
    tokens: { prompt: tokens.prompt, interaction: tokens.interaction, completion: tokens.completion },
  };
}

function trajectoryNode(trajectory: number, sessions: readonly SessionNode[]): TrajectoryNode {
  const of = (stage: Stage) => sessions.filter((session) => session.stage === stage);
  return {
    trajectory,
    r_bar: mean(of("qa").map(({ r_outcome }) => r_outcome)),
    meanA: { memory: mean(of("memory").map(({ A }) => A)), qa: mean(of("qa").map(({ A }) => A)) },
    failed: sessions.filter(hasFailed).length,
    tokens: sessions.reduce((sum, { tokens }) => sum + tokens.prompt + tokens.interaction, 0),
    sessions,
  };
}

/** Of what is known; null when nothing is. */
export function mean(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0) / known.length;
}
