/** Which statements support an answer best: shared words weighted by rarity, and the right speaker. */
import { holdsNumber } from "./answer-span.ts";
import { contentWords } from "./content-words.ts";
import { inWords } from "./dates-in-words.ts";
import type { Evidence } from "./evidence.ts";
import type { ReadQuestion } from "./read-question.ts";

export interface Supported {
  readonly evidence: Evidence;
  /** Share of the question's weight that the statement covers, about 0 to 1. */
  readonly support: number;
}

/** How much a statement gains from the words of the one before it. */
const PREVIOUS = 0.35;
const WRONG_SPEAKER = 0.6;

/** A question may name the day in figures or in words. */
const dayWords = (date: string | null) => (date === null ? "" : `${date} ${inWords(date)}`);

/** Best first; the order among equals is that in which things were seen. */
export function rankEvidence(question: ReadQuestion, evidence: readonly Evidence[]): Supported[] {
  const asked = [...new Set(contentWords(question.text))];
  const bags = evidence.map((one) => new Set(contentWords(`${one.speaker ?? ""} ${one.text} ${dayWords(one.date)}`)));
  const before = evidence.map((one) => new Set(contentWords(one.previous ?? "")));
  const weight = new Map(
    asked.map((word) => {
      const spread = bags.filter((bag) => bag.has(word)).length;
      return [word, Math.log(1 + (bags.length - spread + 0.5) / (spread + 0.5))];
    }),
  );
  const total = asked.reduce((sum, word) => sum + weight.get(word)!, 0) || 1;
  const speakers = new Set(evidence.flatMap((one) => one.speaker ?? []));
  const meant = [...speakers].filter((speaker) => contentWords(speaker).some((word) => asked.includes(word)));
  return evidence
    .map((one, k) => {
      const covered = asked.reduce((sum, word) => {
        if (bags[k]!.has(word)) return sum + weight.get(word)!;
        return before[k]!.has(word) ? sum + PREVIOUS * weight.get(word)! : sum;
      }, 0);
      const wrong = meant.length === 1 && one.speaker !== null && one.speaker !== meant[0];
      // the core is a list of words, which covers much and says little
      const lacksNumber = question.kind === "number" && !holdsNumber(one.text);
      const factor =
        (wrong ? WRONG_SPEAKER : 1) *
        (one.sources[0] === "core" ? 0.3 : 1) *
        (/[?？]$/.test(one.text) ? 0.7 : 1) *
        (lacksNumber ? 0.6 : 1);
      return { evidence: one, support: (factor * covered) / total };
    })
    .sort((a, b) => b.support - a.support);
}
