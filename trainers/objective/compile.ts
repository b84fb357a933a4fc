/**
 * The objective compiler: (objective, sessions, what the engine can do) → the passes whose summed gradient is −∇J (Eqs. 7–9).
 *
 * The only place that knows both the objective and the engine. Normalisers are counted over the whole update before anything
 * is cut, so the result does not depend on parts, chunks, micro-batches or their order.
 */
import { UmaError } from "../../base/errors.ts";
import { type ChooseOptions, chooseMode } from "./choose-mode.ts";
import { type Judgement, judgeModes, type Mode } from "./modes.ts";
import { isPolicyGradient, klOf, type Objective } from "./objective.ts";
import { objectiveFrom } from "./objectives.ts";
import { checkPairs } from "./pairs.ts";
import { type Pass, passesOf } from "./passes.ts";
import type { Profile } from "./profile.ts";
import { sessionScale, type Totals } from "./session-scale.ts";
import type { Term } from "./term.ts";
import { checkSessions, countTrained, type TrainingSession } from "./training-session.ts";

export interface CompileOptions extends ChooseOptions {
  /** No optimiser step since the learner recomputed the old log-probabilities: every ratio is still 1. */
  readonly firstStep?: boolean;
  /** The whole update's counts, when these sessions are only a part of what is accumulated before one step. */
  readonly totals?: Totals;
}

export interface Plan {
  readonly objective: Objective;
  readonly profile: string;
  /** Null when no session has a gradient: there is nothing to ship and no step to take. */
  readonly mode: Mode | null;
  /** Why this mode. */
  readonly why: string;
  /** What is not exact about it; null = the gradient is −∇J. */
  readonly approximation: string | null;
  /** Modes that would have cost less, and why they do not serve. */
  readonly rejected: readonly Judgement[];
  /** What a user should know besides. */
  readonly notes: readonly string[];
  readonly totals: Totals;
  /** Sessions that are shipped, in order; their parts are the datums. */
  readonly terms: readonly Term[];
  /** Sessions that count in S but have nothing to ship: their advantage is 0 and there is no KL term. */
  readonly zeroAdvantage: number;
  /** Sessions that left the loss, by reason. */
  readonly left: Readonly<Record<string, number>>;
  readonly passes: readonly Pass[];
}

/** Throws `input` for traces that do not fit together, `config` for what the engine cannot do. */
export function compile(
  given: Objective,
  sessions: readonly TrainingSession[],
  profile: Profile,
  options: CompileOptions = {},
): Plan {
  const objective = objectiveFrom(given);
  checkSessions(sessions);
  const left: Record<string, number> = {};
  const counted = sessions.flatMap((session) => {
    const trained = countTrained(session);
    const reason = whyLeft(objective, session, trained);
    if (reason !== null) left[reason] = (left[reason] ?? 0) + 1;
    return reason === null ? [{ session, trained }] : [];
  });
  const hasOld = checkLearnerScores(
    objective,
    counted.map(({ session }) => session),
  );
  if (objective.loss === "dpo") checkPairs(counted.map(({ session }) => session));
  const totals = options.totals ?? {
    sessions: counted.length,
    tokens: counted.reduce((sum, { trained }) => sum + trained, 0),
    pairs: objective.loss === "dpo" ? counted.length / 2 : 0,
  };
  const shipped = counted.filter(({ session }) => hasGradient(objective, session));
  const terms = termsOf(objective, shipped, totals);

  const judgements = judgeModes(objective, profile, options.firstStep === true && hasOld);
  const chosen = chooseMode(judgements, options);
  const none = terms.length === 0;
  return {
    objective,
    profile: profile.name,
    mode: none ? null : chosen.mode,
    why: none ? whyNothing(counted.length) : chosen.because,
    approximation: none || chosen.fit === "exact" ? null : chosen.because,
    rejected: judgements.slice(0, judgements.indexOf(chosen)).filter(({ fit }) => fit !== "exact"),
    notes: notesOn(objective, profile, options.firstStep === true && !hasOld),
    totals,
    terms,
    zeroAdvantage: counted.length - shipped.length,
    left,
    passes: none ? [] : passesOf(chosen.mode, objective, terms, profile),
  };
}

function whyNothing(counted: number): string {
  return counted === 0 ? "no session has a signal" : "every advantage is 0 and there is no KL term";
}

function whyLeft(objective: Objective, session: TrainingSession, trained: number): string | null {
  if (isPolicyGradient(objective) && session.advantage === null) return session.reason ?? "no signal";
  return trained === 0 ? "no trained tokens" : null;
}

/** Whether all sessions have the learner's old log-probabilities; refuses a mixture, and a KL term without a reference. */
function checkLearnerScores(objective: Objective, sessions: readonly TrainingSession[]): boolean {
  const parts = sessions.flatMap(({ id, parts }) => parts.map((part) => ({ id, part })));
  const withOld = parts.filter(({ part }) => part.old).length;
  if (withOld !== 0 && withOld !== parts.length)
    throw new UmaError("input", `${withOld} of ${parts.length} sequences have old log-probabilities of the learner`, {
      fix: "score all of them before the first step, or none",
    });
  if (isPolicyGradient(objective) && objective.tis !== null && withOld === 0 && parts.length > 0)
    throw new UmaError(
      "input",
      "truncated importance weights compare the learner with the sampler, and no sequence was scored by the learner",
      {
        fix: "score the update with a forward pass first (old), or set tis to null",
      },
    );
  const needsReference = objective.loss === "dpo" || klOf(objective) !== null;
  const missing = needsReference ? parts.find(({ part }) => !part.ref) : undefined;
  if (missing)
    throw new UmaError(
      "input",
      `session ${missing.id} has no log-probabilities of the reference, which the objective compares with`,
      {
        fix: "score the update with the frozen reference (ref), or choose an objective without a KL term",
      },
    );
  return withOld > 0;
}

function hasGradient(objective: Objective, session: TrainingSession): boolean {
  return !isPolicyGradient(objective) || session.advantage !== 0 || klOf(objective) !== null;
}

function termsOf(
  objective: Objective,
  counted: readonly { session: TrainingSession; trained: number }[],
  totals: Totals,
): Term[] {
  let at = 0;
  return counted.map(({ session, trained }) => {
    const scale = objective.loss === "dpo" ? 1 / totals.pairs : sessionScale(objective.aggregation, trained, totals);
    const term = { session, trained, scale, at };
    at += session.parts.length;
    return term;
  });
}

function notesOn(objective: Objective, profile: Profile, firstStepUnknown: boolean): string[] {
  const notes: string[] = [];
  if (klOf(objective)?.kind === "k1")
    notes.push("k1 as a loss has no gradient on average while the policy is the sampler; it belongs into the reward");
  if (firstStepUnknown)
    notes.push(
      "old log-probabilities are the sampler's, not the learner's, so the ratios of the first step are not taken to be 1",
    );
  if (!profile.accumulates)
    notes.push(`${profile.name} may forget gradients between calls: ship the update in one forward_backward`);
  return notes;
}
