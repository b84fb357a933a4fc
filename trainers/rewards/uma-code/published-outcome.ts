/**
 * r_outcome by the published code: one rule per data source, without the format bonus that it adds (`formatBonus`).
 *
 * Known to be generous: "120.00" holds the gold "0.00". For comparing with the published training runs, not for use.
 */
import { UmaError } from "../../../base/errors.ts";
import { scoreTokenF1 } from "../../../evals/metrics/token-f1.ts";

type Rule = (answer: string, gold: string) => number;

const holds = (text: string, part: string) => text.includes(part.toLowerCase());

/** The gold stands in the answer as a run of characters. */
const substring: Rule = (answer, gold) => Number(holds(answer, gold));

/** The share of the gold's parts that stand in the answer; an empty part stands in every answer. */
const shareOfParts =
  (separator: string): Rule =>
  (answer, gold) => {
    const parts = gold.split(separator).map((part) => part.trim());
    return parts.filter((part) => holds(answer, part)).length / parts.length;
  };

const tokenF1: Rule = (answer, gold) => scoreTokenF1(answer, gold, { profile: "uma-code" }).f1;

/** The answer is digits and nothing else, the very digits of the gold. */
const label: Rule = (answer, gold) => {
  const digits = withoutQuotes(tagged(answer));
  return Number(/^\p{Nd}+$/u.test(digits) && digits === withoutQuotes(gold));
};

const tagged = (answer: string) => (/<answer>(.*?)<\/answer>/is.exec(answer)?.[1] ?? answer).trim();
const withoutQuotes = (text: string) => text.replace(/^["']+|["']+$/g, "").trim();

/** Equal after the clean-up that mathematics answers get: blanks, degrees, currency and percent signs do not count. */
const mathEqual: Rule = (answer, gold) => Number(bare(answer) === bare(gold.toLowerCase()));

const dropped = [/\n/g, /\\!/g, /\\(?:left|right)/g, /\^(?:\{\\circ\}|\\circ)/g, /\\[$%]/g] as const;

function bare(text: string): string {
  const single = text.replaceAll("\\\\", "\\").replace(/[td]frac/g, "frac");
  const kept = dropped.reduce((rest, mark) => rest.replace(mark, ""), single);
  return kept.replaceAll(" .", " 0.").replaceAll("{.", "{0.").replaceAll(" ", "");
}

/** By published name; the names of our benchmarks stand for theirs. */
const rules: Readonly<Record<string, Rule>> = {
  synth: substring,
  "ledger-qa": substring,
  locomo: tokenF1,
  hotpotqa: mathEqual,
  memalpha_hotpotqa: substring,
  memalpha_squad: substring,
  memalpha_booksum: shareOfParts(","),
  memalpha_perltqa: shareOfParts(";"),
  "memalpha_pubmed-rct": label,
};

/** In [0, 1]. `answer` is what `publishedAnswer` read; null, no answer, scores 0 by any rule. */
export function publishedOutcome(dataSource: string, answer: string | null, gold: string): number {
  if (answer === null) return 0;
  const rule = dataSource.startsWith("memalpha_icl") ? label : Object.hasOwn(rules, dataSource) && rules[dataSource];
  if (!rule) {
    throw new UmaError("config", `the published code has no outcome for the data source "${dataSource}"`, {
      fix: `use one of ${Object.keys(rules).join(", ")}, or a metric of the benchmark as the outcome`,
    });
  }
  return rule(answer, gold);
}
