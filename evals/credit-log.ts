/**
 * What credit assignment leaves in a run folder (UMA §2.3): a reward and an advantage per session, and how they were made.
 *
 *     rewards.jsonl     one line per session: the terms of Eqs. 3–4 and their sum
 *     advantages.jsonl  one line per session: its group, and what Eqs. 5–6 make of its reward
 *     credit.json       every option, and what the tables were made of; written last
 *
 * All three are derived: they can be thrown away and made again from the log. Reports and `inspect` read them here.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { contentHash } from "../base/hash.ts";
import { readJsonl } from "../base/jsonl.ts";
import { type SessionRecord, Stage } from "../nodes/session/record.ts";
import { type ScoreLine, writeWhole } from "./run-folder.ts";

const Value = z.number().nullable();

export const RewardLine = z.object({
  session: z.string(),
  context: z.string(),
  /** i, 0-based. */
  trajectory: z.int(),
  stage: Stage,
  /** k of a memory session, 0-based; for a QA session the last chunk in memory. */
  position: z.int(),
  question: z.string().nullable(),
  /** N_valid and N_total of r_tool, as the options count. */
  calls: z.object({ valid: z.int(), total: z.int() }),
  /** In [0, 1]. */
  r_tool: Value,
  /** The answer's own; for a memory session the mean over its trajectory's answers. */
  r_outcome: Value,
  /** λ·r_tool + r_outcome. */
  R: Value,
  /** Why R is null. */
  reason: z.string().nullable(),
});
export type RewardLine = z.infer<typeof RewardLine>;

export const AdvantageLine = z.object({
  session: z.string(),
  /** What the session was compared within. */
  group: z.string(),
  A: Value,
  /** Why A is null. */
  reason: z.string().nullable(),
});
export type AdvantageLine = z.infer<typeof AdvantageLine>;

export const CreditFile = z.object({
  v: z.literal(1),
  estimator: z.string(),
  schedule: z.record(z.string(), z.unknown()),
  rewards: z.record(z.string(), z.unknown()),
  advantages: z.record(z.string(), z.unknown()),
  sessions: z.int(),
  /** Hash of the sessions and scores that the tables were made of. */
  basis: z.string(),
  /** Hashes of the two tables, so that a half-written set is seen. */
  tables: z.object({ rewards: z.string(), advantages: z.string() }),
});
export type CreditFile = z.infer<typeof CreditFile>;

export interface CreditLog {
  readonly options: Omit<CreditFile, "tables">;
  readonly rewards: readonly RewardLine[];
  readonly advantages: readonly AdvantageLine[];
}

/** Equal for equal logs, whatever the order of their lines. */
export function creditBasis(records: readonly SessionRecord[], scores: readonly ScoreLine[]): string {
  const sessions = records.map(({ id, attempt, end }) => JSON.stringify([id, attempt, end])).sort();
  const scored = scores.map(({ session, metrics }) => JSON.stringify([session, metrics])).sort();
  return contentHash(JSON.stringify([sessions, scored]));
}

const fileOf = (folder: string, name: string) => join(folder, name);

/** The same credit gives the same bytes. */
export function writeCreditLog(folder: string, { options, rewards, advantages }: CreditLog): void {
  const lines = (values: readonly unknown[]) => values.map((value) => `${JSON.stringify(value)}\n`).join("");
  const tables = { rewards: lines(rewards), advantages: lines(advantages) };
  writeWhole(fileOf(folder, "rewards.jsonl"), tables.rewards);
  writeWhole(fileOf(folder, "advantages.jsonl"), tables.advantages);
  const file: CreditFile = {
    ...options,
    tables: { rewards: contentHash(tables.rewards), advantages: contentHash(tables.advantages) },
  };
  writeWhole(fileOf(folder, "credit.json"), `${JSON.stringify(file, null, 2)}\n`);
}

/** Null when there is none, or one that was half written or edited: credit is made again sooner than trusted. */
export function readCreditLog(folder: string): CreditLog | null {
  const path = fileOf(folder, "credit.json");
  if (!existsSync(path)) return null;
  const parsed = CreditFile.safeParse(parseOrNull(readFileSync(path, "utf8")));
  if (!parsed.success) return null;
  const { tables, ...options } = parsed.data;
  const hashOf = (name: string) =>
    existsSync(fileOf(folder, name)) ? contentHash(readFileSync(fileOf(folder, name))) : null;
  if (hashOf("rewards.jsonl") !== tables.rewards || hashOf("advantages.jsonl") !== tables.advantages) return null;
  return {
    options,
    rewards: readJsonl<RewardLine>(fileOf(folder, "rewards.jsonl")).values,
    advantages: readJsonl<AdvantageLine>(fileOf(folder, "advantages.jsonl")).values,
  };
}

function parseOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
