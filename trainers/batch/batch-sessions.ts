/** Records and their credit as the compiler takes them; sessions without tokens are counted and cannot be trained. */
import type { CreditLog } from "../../evals/credit-log.ts";
import { type SessionRecord, Stage } from "../../nodes/session/record.ts";
import { tracePartsOf } from "../../nodes/session/recorded-trace.ts";
import { refuseMixedWeights } from "../../policies/token-exact/weight-version.ts";
import type { TrainingSession } from "../objective/training-session.ts";

export interface BatchSessions {
  /** Of token-exact policies, in the order of the log. */
  readonly exact: readonly TrainingSession[];
  /** Sessions whose policy gave no tokens, whatever their advantage. */
  readonly withoutTokens: readonly string[];
}

export interface BatchOptions {
  /** Take groups whose sessions were sampled by different weights. */
  readonly allowMixedWeights?: boolean;
}

/** Throws `conflict` when the sessions of one context, whose advantages compare them, come from different weights. */
export function batchSessions(
  records: readonly SessionRecord[],
  { advantages }: Pick<CreditLog, "advantages">,
  { allowMixedWeights = false }: BatchOptions = {},
): BatchSessions {
  if (!allowMixedWeights) for (const [context, versions] of weightsOf(records)) refuseMixedWeights(versions, context);
  const creditOf = new Map(advantages.map((line) => [line.session, line]));
  const exact = inOrder(records).flatMap(({ id, stage, trace }): TrainingSession[] => {
    const credit = creditOf.get(id);
    if (!trace || !credit) return [];
    const { A: advantage, reason } = credit;
    return [{ id, stage, parts: tracePartsOf(trace), advantage, ...(reason !== null && { reason }) }];
  });
  return { exact, withoutTokens: records.filter(({ trace }) => !trace).map(({ id }) => id) };
}

/** The versions of the weights that sampled each context's sessions. */
function weightsOf(records: readonly SessionRecord[]): Map<string, Set<string | null>> {
  const versions = new Map<string, Set<string | null>>();
  for (const { context, trace } of records) {
    const own = versions.get(context) ?? new Set();
    versions.set(context, own);
    for (const { weights } of trace?.turns ?? []) own.add(weights);
  }
  return versions;
}

/** Sessions finish in any order; what is shipped must not depend on it. */
function inOrder(records: readonly SessionRecord[]): SessionRecord[] {
  return [...records].sort(
    (a, b) =>
      compare(a.context, b.context) ||
      a.trajectory - b.trajectory ||
      Stage.options.indexOf(a.stage) - Stage.options.indexOf(b.stage) ||
      (a.stage === "memory" ? a.position - b.position : compare(a.question!, b.question!)),
  );
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);
