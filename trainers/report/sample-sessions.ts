/**
 * The same question of the same context before training and after it.
 *
 * Chosen from the first and the last evaluation by their contents alone: questions that were got right come first, each of
 * another context and kind where there are such; where any were lost, one of those is shown too. Where too few changed,
 * questions that did not fill up: sessions are to be seen also of a run that taught nothing. How many went either way is
 * told beside them, so that three examples are not taken for the whole.
 */
import { readContexts, readRecords } from "../../evals/run-folder.ts";
import { emptyMemory, type Memory } from "../../memory/memory.ts";
import { memoryAfter } from "../../nodes/session/memory-after.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import type { EvaluationLine } from "../run/metrics-line.ts";
import { askedKey, type OutcomeScore, outcomeScores } from "./outcome-scores.ts";
import type { TrainingLog } from "./read-training.ts";

export interface SampledSide {
  readonly update: number;
  readonly value: number;
  /** The answering session. */
  readonly answer: SessionRecord;
  /** The sessions that built the memory which the question was asked of, by chunk. */
  readonly building: readonly SessionRecord[];
  readonly memory: Memory;
}

export interface SampledQuestion {
  readonly context: string;
  readonly question: string;
  readonly category: string;
  readonly gold: string | null;
  readonly before: SampledSide;
  readonly after: SampledSide;
}

export interface SampledQuestions {
  /** Greedy where both evaluations have it: what chance did is not shown as learnt. */
  readonly kind: "greedy" | "sampled";
  readonly shown: readonly SampledQuestion[];
  /** Of the questions that both scored. */
  readonly counts: { readonly better: number; readonly worse: number; readonly same: number };
}

export const mostSamples = 3;

/** Null before a second evaluation, and when the folders of either are gone. */
export function sampleQuestions(log: TrainingLog): SampledQuestions | null {
  const [first, last] = [log.evaluations[0], log.evaluations.at(-1)];
  if (!first || !last || first === last) return null;
  for (const kind of ["greedy", "sampled"] as const) {
    const before = new Map(scoresOf(log, first, kind).map((score) => [askedKey(score), score]));
    const pairs = scoresOf(log, last, kind).flatMap((after): Pair[] => {
      const one = before.get(askedKey(after));
      return one ? [{ before: one, after }] : [];
    });
    if (pairs.length === 0) continue;
    const better = pairs.filter((pair) => change(pair) > 0);
    const worse = pairs.filter((pair) => change(pair) < 0);
    const same = pairs.filter((pair) => change(pair) === 0);
    const fromWorse = worse.length > 0 ? 1 : 0;
    const changed = [...spread(better, mostSamples - fromWorse), ...spread(worse, mostSamples)].slice(0, mostSamples);
    const chosen = [...changed, ...spread(same, mostSamples - changed.length, changed)];
    const read = reader();
    return {
      kind,
      shown: chosen.flatMap((pair) => read(pair, first.update, last.update) ?? []),
      counts: { better: better.length, worse: worse.length, same: same.length },
    };
  }
  return null;
}

interface Pair {
  readonly before: OutcomeScore;
  readonly after: OutcomeScore;
}

const change = ({ before, after }: Pair) => after.value - before.value;

const scoresOf = (log: TrainingLog, line: EvaluationLine, kind: "greedy" | "sampled") =>
  outcomeScores(log, line.folders[kind]);

/** The largest changes first, each of a context and category that is new, also beside `others`, as long as there are such. */
function spread(pairs: readonly Pair[], count: number, others: readonly Pair[] = []): Pair[] {
  const left = [...pairs].sort(
    (a, b) => Math.abs(change(b)) - Math.abs(change(a)) || (askedKey(a.after) < askedKey(b.after) ? -1 : 1),
  );
  const chosen: Pair[] = [];
  while (chosen.length < count && left.length > 0) {
    const seen = (of: (pair: Pair) => string) => new Set([...others, ...chosen].map(of));
    const [contexts, categories] = [seen((pair) => pair.after.line.context), seen((pair) => pair.after.line.category)];
    const isNew = ({ after: { line } }: Pair) => !contexts.has(line.context) && !categories.has(line.category);
    const at = Math.max(0, left.findIndex(isNew));
    chosen.push(...left.splice(at, 1));
  }
  return chosen;
}

/** Reads each folder once. */
function reader() {
  const records = new Map<string, SessionRecord[]>();
  const recordsIn = (path: string) => {
    const known = records.get(path) ?? readRecords(path);
    records.set(path, known);
    return known;
  };
  const sideOf = ({ path, line, value }: OutcomeScore, update: number): SampledSide | null => {
    const answer = recordsIn(path).find(({ id }) => id === line.session);
    if (!answer) return null;
    const building = recordsIn(path)
      .filter(
        ({ stage, context, trajectory, position }) =>
          stage === "memory" &&
          context === answer.context &&
          trajectory === answer.trajectory &&
          position <= answer.position,
      )
      .sort((a, b) => a.position - b.position);
    return { update, value, answer, building, memory: building.reduce<Memory>(memoryAfter, emptyMemory) };
  };
  return ({ before, after }: Pair, first: number, last: number): SampledQuestion | null => {
    const [one, other] = [sideOf(before, first), sideOf(after, last)];
    const { context, question, category, gold } = after.line;
    const asked = readContexts(after.path)
      .find(({ id }) => id === context)
      ?.questions.find(({ id }) => id === question);
    return one && other && asked ? { context, question: asked.text, category, gold, before: one, after: other } : null;
  };
}
