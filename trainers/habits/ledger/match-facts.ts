/** Which written fact stands for which transaction, though date, amount or category may be wrong. */
import type { ToldTransaction } from "./truth.ts";
import type { Fact } from "./written-facts.ts";

/** What a fact can be recognised by. */
export type Named = Pick<ToldTransaction, "date" | "subscene" | "item">;

export interface Match<Written extends Fact> {
  readonly pairs: readonly { readonly told: ToldTransaction; readonly fact: Written }[];
  readonly unwritten: readonly ToldTransaction[];
  readonly invented: readonly Written[];
}

/**
 * The best pairs first, each fact and each transaction once. The sub-scene weighs most, then the amount as it stands, then
 * one that was said before a correction; a date alone is no reason, since a whole session has it.
 */
export function matchFacts<Written extends Fact>(
  told: readonly ToldTransaction[],
  facts: readonly Written[],
): Match<Written> {
  const candidates = told
    .flatMap((transaction) =>
      facts.map((fact) => ({ told: transaction, fact, score: likeness(fact, transaction, transaction.said) })),
    )
    .filter(({ score }) => score >= 2)
    .sort((a, b) => b.score - a.score);
  const pairs: { told: ToldTransaction; fact: Written }[] = [];
  const taken = new Set<unknown>();
  for (const { told: transaction, fact } of candidates) {
    if (taken.has(transaction) || taken.has(fact)) continue;
    taken.add(transaction).add(fact);
    pairs.push({ told: transaction, fact });
  }
  return {
    pairs,
    unwritten: told.filter((transaction) => !taken.has(transaction)),
    invented: facts.filter((fact) => !taken.has(fact)),
  };
}

/** `amounts`: those that were said, the standing one last. 0 for nothing in common; below 2 for the date only. */
export function likeness(fact: Fact, named: Named, amounts: readonly number[]): number {
  const stands = amounts.at(-1);
  return (
    (isNamed(fact, named) ? 4 : isMentioned(fact.words, named) ? 2 : 0) +
    (fact.amounts.some((cents) => cents === stands)
      ? 3
      : fact.amounts.some((cents) => amounts.includes(cents))
        ? 2
        : 0) +
    (fact.date === named.date ? 1 : 0)
  );
}

export const isNamed = ({ subscene, words }: Fact, named: Named): boolean =>
  subscene === null ? isMentioned(words, named) : fold(subscene) === fold(named.subscene);

/** `words`: lower case. */
export const isMentioned = (words: string, { subscene, item }: Named): boolean =>
  holds(words, fold(subscene)) || holds(words, withoutArticle(item));

/** As whole words. */
function holds(words: string, phrase: string): boolean {
  for (let at = words.indexOf(phrase); at >= 0; at = words.indexOf(phrase, at + 1))
    if (!isLetter(words[at - 1]) && !isLetter(words[at + phrase.length])) return true;
  return false;
}

const isLetter = (character: string | undefined) => character !== undefined && /[a-z]/.test(character);

const fold = (name: string) => name.trim().toLowerCase();
const withoutArticle = (item: string) => item.toLowerCase().replace(/^(?:an?|the|some|my|our) /, "");
