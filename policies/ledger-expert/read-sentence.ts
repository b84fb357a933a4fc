/**
 * One utterance taken apart: dates, amounts, things, and the shape that is left when they are taken out.
 *
 * "Sorry, the latte on 2024-03-05 was 4.50, not 5.40." has the shape "sorry, ~ on @ was #, not #.". Acts are told from
 * shapes, so that no word of a thing ("a full checkup") is taken for a word about it ("a full refund").
 */
import { mayHoldAmount, takeAmounts } from "./amounts.ts";
import { takeDates } from "./dates.ts";
import { bestOf, type Mention, mentionsIn, type Thing } from "./things.ts";

export interface Sentence {
  /** Lower case, with @ for a date, # for an amount, ~ for a thing. */
  readonly shape: string;
  /** ISO. */
  readonly dates: readonly string[];
  /** Integer cents. */
  readonly amounts: readonly number[];
  /** The thing of each amount; where there is a date or less than two amounts, the one thing the sentence is about. */
  readonly things: readonly (Thing | null)[];
}

/** null when the text has no amount and no date, so that it can change nothing by itself. */
export function readSentence(text: string): Sentence | null {
  const lower = text.toLowerCase();
  if (!mayHoldAmount(lower)) return null;
  const { text: undated, dates } = takeDates(lower.replace(/[@#~]/g, " "), "@");
  const { text: bare, amounts } = takeAmounts(undated, "#");
  if (amounts.length === 0 && dates.length === 0) return null;
  const mentions = mentionsIn(bare);
  const things = amounts.length < 2 || dates.length > 0 ? [bestOf(mentions)] : thingPerAmount(bare, mentions);
  return { shape: shapeOf(bare, mentions), dates, amounts, things };
}

/** "a tea for # and a bus for #" or "# for a tea and # for a bus": each amount's thing stands on the same side of it. */
function thingPerAmount(text: string, mentions: readonly Mention[]): (Thing | null)[] {
  const marks = [...text.matchAll(/#/g)].map(({ index }) => index);
  const thingFirst = mentions.some(({ start }) => start < marks[0]!);
  const beside: Mention[][] = marks.map(() => []);
  let passed = 0;
  for (const mention of mentions) {
    while (passed < marks.length && marks[passed]! < mention.start) passed++;
    beside[thingFirst ? passed : passed - 1]?.push(mention);
  }
  return beside.map(bestOf);
}

function shapeOf(text: string, mentions: readonly Mention[]): string {
  let shape = "";
  let at = 0;
  for (const { start, end } of mentions) {
    shape += `${text.slice(at, start)}~`;
    at = end;
  }
  return shape + text.slice(at);
}
