/** What a question asks for, by its first words. */

export type QuestionKind = "choice" | "date" | "duration" | "number" | "person" | "place" | "yes-no" | "other";

export interface ReadQuestion {
  /** The question without the options of a choice and without hints on how to answer. */
  readonly text: string;
  readonly kind: QuestionKind;
  /** For a choice: the options by letter. */
  readonly options: Readonly<Record<string, string>>;
}

const OPTION = /^\s*\(?([A-Za-z])[).]\s+(.+)$/;

export function readQuestion(question: string): ReadQuestion {
  const lines = question.split("\n");
  const options = Object.fromEntries(
    lines.flatMap((line) => {
      const option = OPTION.exec(line);
      return option ? [[option[1]!.toUpperCase(), option[2]!.trim()] as const] : [];
    }),
  );
  // further sentences say how to answer; the question is what ends in a question mark
  const stated = lines
    .filter((line) => !OPTION.test(line))
    .join(" ")
    .trim();
  const text = /^[\s\S]*?[?？]/.exec(stated)?.[0] ?? stated;
  return { text, kind: Object.keys(options).length >= 2 ? "choice" : kindOf(text), options };
}

function kindOf(text: string): QuestionKind {
  if (/\bwhen\b|\b(?:what|which) (?:date|day|month|year|time)\b|什么时候|いつ/i.test(text)) return "date";
  if (/\bhow (?:long|old)\b/i.test(text)) return "duration";
  if (
    /\bhow (?:many|much|often)\b|\bwhat (?:did|does|do|was|is)\b.*\b(?:spend|cost|pay|bill)\b|\b(?:amount|price|total|sum|number of|(?:highest|largest|biggest|lowest) (?:\w+ )?(?:expense|cost|amount|price|purchase))\b/i.test(
      text,
    )
  )
    return "number";
  if (/\b(?:who|whose|whom)\b/i.test(text)) return "person";
  if (/\bwhere\b|\b(?:in|to|from|at) (?:what|which) (?:city|country|place|state|town)\b/i.test(text)) return "place";
  if (/^(?:did|does|do|is|are|was|were|has|have|had|can|could|would|will|should)\b/i.test(text.trim())) return "yes-no";
  return "other";
}
