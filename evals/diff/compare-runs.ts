/**
 * Whether two runs are the same run (contracts §10): by content, whatever order sessions finished in.
 *
 * Left out is what a machine or a clock decides: names of the run, times, concurrency, pool size, the package's version,
 * how often a session had to be tried, and attempts that were given up. Derived tables (rewards, advantages) are compared
 * where both runs have them.
 */

import { type SessionRecord, withoutTimes } from "../../nodes/session/record.ts";
import { type CreditLog, readCreditLog } from "../credit-log.ts";
import { type RunLog, readRun } from "../reports/read-run.ts";
import { type ValueDifference, valueDifferences } from "./value-differences.ts";

export type RunFile = "config.json" | "contexts.jsonl" | "records.jsonl" | "scores.jsonl" | CreditFileName;
type CreditFileName = "credit.json" | "rewards.jsonl" | "advantages.jsonl";

export interface RunDifference extends ValueDifference {
  readonly file: RunFile;
  /** The session's id, or the context's; null for the config. */
  readonly of: string | null;
}

export interface RunComparison {
  readonly identical: boolean;
  /** Every difference, config first, then contexts, sessions, scores and credit, each in the order of their ids. */
  readonly differences: readonly RunDifference[];
  /** What was compared, where both have it. */
  readonly compared: { readonly contexts: number; readonly sessions: number; readonly scores: number };
  /** What one of them has and the comparison left out. */
  readonly notes: readonly string[];
}

/** Fields of config.json that no result depends on. */
const machineFields: ReadonlySet<string> = new Set(["name", "created", "concurrency", "pool", "umagraph"]);

/** Throws `input` for what is no run folder. */
export function compareRuns(a: string, b: string): RunComparison {
  const [runA, runB] = [readRun(a), readRun(b)];
  const [creditA, creditB] = [readCreditLog(a), readCreditLog(b)];
  const differences = [
    ...[...valueDifferences(comparableConfig(runA), comparableConfig(runB))].map(
      (difference): RunDifference => ({ file: "config.json", of: null, ...difference }),
    ),
    ...byId("contexts.jsonl", runA.contexts, runB.contexts, ({ id }) => id),
    ...byId("records.jsonl", runA.records.map(comparableRecord), runB.records.map(comparableRecord), ({ id }) => id),
    ...byId("scores.jsonl", runA.scores, runB.scores, ({ session }) => session),
    ...(creditA && creditB ? creditDifferences(creditA, creditB) : []),
  ];
  const both = <Item>(first: readonly Item[], second: readonly Item[], key: (item: Item) => string) => {
    const keys = new Set(second.map(key));
    return first.filter((item) => keys.has(key(item))).length;
  };
  return {
    identical: differences.length === 0,
    differences,
    compared: {
      contexts: both(runA.contexts, runB.contexts, ({ id }) => id),
      sessions: both(runA.records, runB.records, ({ id }) => id),
      scores: both(runA.scores, runB.scores, ({ session }) => session),
    },
    notes: [
      ...(creditA && !creditB ? [`only ${a} has reward tables`] : []),
      ...(creditB && !creditA ? [`only ${b} has reward tables`] : []),
      ...[runA, runB]
        .filter(({ superseded }) => superseded.length > 0)
        .map(({ folder, superseded }) => `${folder} has ${superseded.length} attempts that were given up`),
    ],
  };
}

function comparableConfig({ config }: RunLog): Record<string, unknown> {
  return Object.fromEntries(Object.entries(config).filter(([name]) => !machineFields.has(name)));
}

function comparableRecord(record: SessionRecord) {
  const { run: _run, attempt: _attempt, ...rest } = withoutTimes(record);
  return rest;
}

function creditDifferences(a: CreditLog, b: CreditLog): RunDifference[] {
  // the basis hashes attempts, which do not count here
  const options = ({ options: { basis: _basis, ...rest } }: CreditLog) => rest;
  return [
    ...[...valueDifferences(options(a), options(b))].map(
      (difference): RunDifference => ({ file: "credit.json", of: null, ...difference }),
    ),
    ...byId("rewards.jsonl", a.rewards, b.rewards, ({ session }) => session),
    ...byId("advantages.jsonl", a.advantages, b.advantages, ({ session }) => session),
  ];
}

/** An item that only one side has is one difference, not one for each of its fields. */
function byId<Item>(
  file: RunFile,
  a: readonly Item[],
  b: readonly Item[],
  idOf: (item: Item) => string,
): RunDifference[] {
  const [inA, inB] = [a, b].map((items) => new Map(items.map((item) => [idOf(item), item]))) as [
    Map<string, Item>,
    Map<string, Item>,
  ];
  return [...new Set([...inA.keys(), ...inB.keys()])].sort(naturally).flatMap((id): RunDifference[] => {
    const [left, right] = [inA.get(id), inB.get(id)];
    if (left === undefined || right === undefined)
      return [{ file, of: id, field: "", a: left && "there", b: right && "there" }];
    return [...valueDifferences(left, right)].map((difference) => ({ file, of: id, ...difference }));
  });
}

/** m2 before m10. */
const naturally = new Intl.Collator("en", { numeric: true }).compare;
