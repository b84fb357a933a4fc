/**
 * One generated context: dates → acts → ledger and dialogues → questions (UMA §3.1, App. C.4, Algorithm 1).
 *
 * Every random choice hangs on (split, seed, profile, horizon, context index) and its own purpose, so contexts do not
 * depend on how many are asked for, and a training and a test seed of the same number share nothing.
 */
import { rng } from "../../../base/rng.ts";
import type { PlannedSession } from "./acts.ts";
import type { LedgerQaConfig } from "./config.ts";
import { writeDialogue } from "./dialogue.ts";
import { type DrawnQuestion, drawQuestions } from "./draw-questions.ts";
import type { Profile, Split } from "./forms/form.ts";
import { type LedgerTransaction, ledgerOf, standing, type ToldSession } from "./ledger.ts";
import { phraseQuestion } from "./phrase-question.ts";
import { planSessions } from "./plan.ts";
import { countLedger } from "./questions.ts";
import { spreadQuestions } from "./spread-questions.ts";
import type { Subscene } from "./taxonomy.ts";
import { sampleDates } from "./timeline.ts";
import type { Line } from "./voice.ts";

export interface LedgerSession {
  readonly date: string;
  readonly lines: readonly Line[];
}

export interface PhrasedQuestion extends DrawnQuestion {
  /** "q1" is the first that was drawn; a limit on the number of questions keeps the names. */
  readonly id: string;
  readonly text: string;
}

export interface LedgerContext {
  readonly id: string;
  readonly split: Split;
  readonly profile: Profile;
  readonly horizon: number;
  readonly seed: number;
  readonly index: number;
  readonly sessions: readonly LedgerSession[];
  readonly ledger: readonly LedgerTransaction[];
  readonly questions: readonly PhrasedQuestion[];
}

export type ContextOptions = Pick<
  LedgerQaConfig,
  | "seed"
  | "split"
  | "profile"
  | "questions"
  | "perType"
  | "maxTies"
  | "pointQueries"
  | "maxTransactions"
  | "changes"
  | "corrections"
>;

const usualMost = { micro: 4, full: 10 } as const;

export function generateContext(horizon: number, index: number, options: ContextOptions): LedgerContext {
  const { split, seed, profile } = options;
  const random = (...purpose: (string | number)[]) =>
    rng("ledger-qa", split, seed, profile, horizon, index, ...purpose);
  const plan = planSessions({
    split,
    profile,
    dates: sampleDates(horizon, random("dates")),
    maxTransactions: options.maxTransactions ?? usualMost[profile],
    changes: options.changes,
    corrections: options.corrections,
    random: (session) => random("plan", session),
    habits: random("habits"),
  });
  const { sessions, told } = tell(plan, { split, profile, random });
  const ledger = ledgerOf(told);
  const drawn = drawQuestions(countLedger(standing(ledger)), {
    perType: options.perType,
    maxTies: options.maxTies,
    pointQueries: options.pointQueries,
    random: (type) => random("questions", type),
  });
  const questions = drawn.map((question, number) => ({
    ...question,
    id: `q${number + 1}`,
    text: phraseQuestion(question.query, { split, profile }, random("wording", number)),
  }));
  return {
    id: `ledger-${profile}-${split}-h${horizon}-s${seed}-c${index}`,
    split,
    profile,
    horizon,
    seed,
    index,
    sessions,
    ledger,
    questions: spreadQuestions(questions, ({ query }) => query.type, options.questions),
  };
}

function tell(
  plan: readonly PlannedSession[],
  {
    split,
    profile,
    random,
  }: { split: Split; profile: Profile; random: (...purpose: (string | number)[]) => ReturnType<typeof rng> },
): { sessions: LedgerSession[]; told: ToldSession[] } {
  const subscenes = new Map<string, Subscene>();
  const sessions: LedgerSession[] = [];
  const told: ToldSession[] = [];
  plan.forEach((planned, session) => {
    for (const act of planned.acts)
      if (act.kind === "spend") for (const { id, subscene } of act.entries) subscenes.set(id, subscene);
    const dialogue = writeDialogue(planned, {
      split,
      profile,
      first: session === 0,
      random: random("dialogue", session),
      subsceneOf: (id) => subscenes.get(id)!,
    });
    sessions.push({ date: planned.date, lines: dialogue.lines });
    told.push({ date: planned.date, acts: planned.acts.map((act, index) => ({ act, lines: dialogue.told[index]! })) });
  });
  return { sessions, told };
}
