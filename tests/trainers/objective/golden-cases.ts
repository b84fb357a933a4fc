/** The golden files, read into typed arrays. */
import { readFileSync } from "node:fs";
import type { TracePart } from "../../../policies/token-trace.ts";
import type { Clip, Kl, Objective } from "../../../trainers/objective/objective.ts";
import type { TrainingSession } from "../../../trainers/objective/training-session.ts";

type Plain<T> = { [K in keyof T]: number[] };
interface PlainSession extends Omit<TrainingSession, "parts"> {
  readonly parts: readonly Plain<TracePart>[];
}

export interface ObjectiveCase {
  readonly name: string;
  readonly objective: Objective;
  readonly sessions: readonly TrainingSession[];
  readonly current: readonly (readonly number[])[];
  readonly expected: {
    readonly totals: { sessions: number; tokens: number; pairs: number };
    readonly scales: Record<string, number>;
    readonly value: number;
    readonly gradient: readonly (readonly number[])[];
  };
}

export interface TraceCase {
  readonly name: string;
  readonly turns: readonly { prompt: number[]; completion: number[]; logprobs: number[] }[];
  readonly expected: { parts: Plain<TracePart>[]; trainedTokens: number; breaks: { turn: number; at: number }[] };
}

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../../golden/objective-${name}.json`, import.meta.url), "utf8"));

export const traceCases: readonly TraceCase[] = read("traces").cases;

const { eq9, kl, cases } = read("cases");

export const eq9Rows: readonly { rho: number; A: number; clip: Clip; value: number; slope: number }[] = eq9;

export const klRows: readonly (Omit<Kl, "beta"> & { delta: number; rho: number; value: number; slope: number })[] = kl;

export const objectiveCases: readonly ObjectiveCase[] = (cases as (ObjectiveCase & { sessions: PlainSession[] })[]).map(
  (given) => ({
    ...given,
    sessions: given.sessions.map((session: PlainSession) => ({ ...session, parts: session.parts.map(typed) })),
  }),
);

function typed({ ids, mask, sampler, old, ref }: Plain<TracePart>): TracePart {
  return {
    ids: Int32Array.from(ids),
    mask: Uint8Array.from(mask),
    sampler: Float32Array.from(sampler),
    ...(old && { old: Float32Array.from(old) }),
    ...(ref && { ref: Float32Array.from(ref) }),
  };
}
