/**
 * Which of the amounts in a line about a change is the one that stood before, by the words around it: "not #", "from # to #".
 *
 * Who can look the entry up does not need it; who writes the change without looking does.
 */

/** Right before the former amount. "from # to #" and "said #, but it was #" name it first, "#, not #" last. */
const before =
  /(?:\bnot|\binstead of|\brather than|\bfrom|\bsaid|\bsays|\bmake the|\bi paid|\b(?:of|from) the|\bfull|\bwhole) $/;

/** `shape` has a # for each of the `amounts`, in order. Undefined where the words do not say, or say it of several. */
export function formerAmount(shape: string, amounts: readonly number[]): number | undefined {
  const marks = [...shape.matchAll(/#/g)].map(({ index }) => index);
  if (marks.length !== amounts.length) return undefined;
  const former = amounts.filter((_, i) => before.test(shape.slice(0, marks[i]!)));
  return former.length === 1 ? former[0] : undefined;
}
