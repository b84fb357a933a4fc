/** What a user does with one line: spend, put something right, get money back, name an amount that was asked for, or just talk. */
import type { Change } from "./apply-change.ts";
import { isCorrection, isOtherTalk, isRefund, isWholeRefund } from "./cues.ts";
import { formerAmount } from "./former-amount.ts";
import type { Sentence } from "./read-sentence.ts";
import type { Thing } from "./things.ts";

export type Act =
  | { readonly kind: "spend"; readonly parts: readonly { readonly thing: Thing | null; readonly cents: number }[] }
  /** Of this session's day, or of an earlier one; without a thing it is about what was said just before. */
  | { readonly kind: "change"; readonly change: Change }
  /** The amount of the thing in the user's line before. */
  | { readonly kind: "amount"; readonly cents: number }
  | { readonly kind: "talk" };

const talk: Act = { kind: "talk" };

/** `asked`: the assistant has just asked what something cost. */
export function actOf(sentence: Sentence, { date, asked }: { readonly date: string; readonly asked: boolean }): Act {
  const { shape, amounts, things } = sentence;
  const thing = things[0] ?? null;
  const earlier = sentence.dates.find((named) => named !== date);
  // a line that names another day is about an expense of that day
  if (earlier !== undefined) return thing || amounts.length > 0 ? changeOf(earlier, sentence) : talk;
  if (amounts.length === 0) return talk;
  if (asked && !thing && amounts.length === 1) return { kind: "amount", cents: amounts[0]! };
  if (isOtherTalk(shape)) return talk;
  if (isCorrection(shape) || isRefund(shape)) return changeOf(date, sentence);
  return { kind: "spend", parts: amounts.map((cents, i) => ({ cents, thing: things[i] ?? null })) };
}

function changeOf(date: string, { shape, amounts, things }: Sentence): Act {
  const refund = isRefund(shape);
  const whole = refund && amounts.length < 2 && isWholeRefund(shape);
  const former = formerAmount(shape, amounts);
  const about = { date, thing: things[0] ?? null, amounts, whole };
  return {
    kind: "change",
    change: { kind: refund ? "refund" : "amount", ...about, ...(former !== undefined && { former }) },
  };
}
