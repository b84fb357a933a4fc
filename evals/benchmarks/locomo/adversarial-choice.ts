/**
 * LoCoMo's adversarial questions as a choice of two (UMA App. E.3): the wrong answer that the question invites to,
 * against "not mentioned". A row that has an answer of its own (two of 446) offers that one instead.
 *
 * Which option comes first is drawn by the seed and written into the question's text; gold is the letter. Scoring reads
 * the options back from that text, so that the question alone says how it is scored.
 */
import { rng } from "../../../base/rng.ts";
import type { Metric, Question } from "../../benchmark.ts";
import { extractAnswer } from "../../metrics/extract-answer.ts";
import { normalizeAnswer } from "../../metrics/normalize.ts";

const notMentioned = "Not mentioned in the conversation";
const layout = /\n\(A\) (?<A>.+)\n\(B\) (?<B>.+)$/;

export interface Choice {
  readonly text: string;
  readonly answer: "A" | "B";
}

/** A null `right` means that the conversation does not say. `path` names the row for the draw: its conversation, its index. */
export function adversarialChoice(
  row: { readonly question: string; readonly wrong: string; readonly right: string | null },
  seed: number,
  ...path: readonly (string | number)[]
): Choice {
  const right = oneLine(row.right ?? notMentioned);
  const wrong = oneLine(row.wrong);
  const answer = rng(seed, "locomo", "adversarial-choice", ...path).next() < 0.5 ? "A" : "B";
  const [first, second] = answer === "A" ? [right, wrong] : [wrong, right];
  const text = `${oneLine(row.question)} Choose one of the two and answer with its letter.\n(A) ${first}\n(B) ${second}`;
  return { text, answer };
}

const oneLine = (text: string): string => text.trim().replace(/\s+/g, " ");

/** 1 or 0 by the option that was chosen, for a question that is such a choice; by `metric` for any other. */
export function choiceAware(metric: Metric): Metric {
  return {
    name: metric.name,
    score(prediction, question) {
      const options = optionsOf(question);
      if (!options) return metric.score(prediction, question);
      return chosenLetter(extractAnswer(prediction), options) === question.answer ? 1 : 0;
    },
  };
}

interface Options {
  readonly A: string;
  readonly B: string;
}

function optionsOf(question: Question): Options | null {
  const groups = question.answer === "A" || question.answer === "B" ? layout.exec(question.text)?.groups : undefined;
  return groups ? { A: groups.A!, B: groups.B! } : null;
}

/**
 * The option that an answer names: by its letter alone, by "(B)" or "B)" in front, or by its words. Null when it names
 * none or both. A bare "A" followed by words is the article, not the letter.
 */
export function chosenLetter(answer: string, options: Options): "A" | "B" | null {
  const letter = /^[\s("'*]*([AB])[\s)"'*.:]*$/i.exec(answer) ?? /^[\s*]*\(?([AB])[).:]\s/i.exec(answer);
  if (letter) return letter[1]!.toUpperCase() as "A" | "B";
  const bracketed = new Set([...answer.matchAll(/\(([AB])\)/g)].map((match) => match[1] as "A" | "B"));
  if (bracketed.size > 0) return bracketed.size === 1 ? [...bracketed][0]! : null;
  const words = normalizeAnswer(answer);
  const named = (["A", "B"] as const).filter((key) => {
    const option = normalizeAnswer(options[key]);
    return words === option || (options[key] === notMentioned && /\bnot mentioned\b/.test(words));
  });
  return named.length === 1 ? named[0]! : null;
}
