/** Reads a question about the ledger: what is asked, of which categories, in which days. */
import { takeDates } from "./dates.ts";
import { type Scene, type Subscene, sceneOf, scenes, subscenes } from "./taxonomy.ts";

export interface Query {
  /** A sum; the scene(s) with the largest sum; the largest single expense; the date(s) with most expenses. */
  readonly asks: "sum" | "top scene" | "largest" | "busiest date";
  /** Empty for all. */
  readonly scenes: readonly Scene[];
  readonly subscene: Subscene | null;
  /** First and last day, ISO, both included; null for all time. */
  readonly range: { readonly from: string; readonly to: string } | null;
}

const most = /\b(?:most|highest|largest|biggest|priciest|greatest|top|leads?|comes first)\b/;
const ofDates = /\bdates?\b|\bwhich day\b|\bone day\b/;
const ofCategories = /\bcategor(?:y|ies)\b/;
const ofExpenses = /\b(?:single|expense|transaction|payment|entry|amount|one thing|purchase)\b/;
const ofMoney =
  /\b(?:how much|spen[dt]|spending|total|sum|add up|figure|number for|cost|bill|paid|pay|went in|came to|wallet|expenses?)\b/;

const sceneNames = new RegExp(`\\b(?:${scenes.join("|")})\\b`, "g");
const label = new RegExp(
  `\\b(?:${scenes.join("|")}) - (${[...subscenes].sort((a, b) => b.length - a.length).join("|")})(?!\\w)`,
);
const subsceneNames = new RegExp(`\\b(?:${[...subscenes].sort((a, b) => b.length - a.length).join("|")})(?!\\w)`);

/** null when the text asks nothing that a ledger can answer. */
export function readQuery(question: string): Query | null {
  const { text, dates } = takeDates(question.toLowerCase(), "@");
  const range = dates.length === 0 ? null : { from: dates[0]!, to: dates[1] ?? dates[0]! };
  if (dates.length > 2 || (range && range.from > range.to)) return null;

  const labelled = label.exec(question)?.[1] as Subscene | undefined;
  const named = labelled ? [sceneOf(labelled)] : [...new Set(question.match(sceneNames) as Scene[] | null)];
  const bySubscene = labelled ?? (named.length === 0 ? (subsceneNames.exec(question)?.[0] as Subscene) : undefined);
  const subscene = bySubscene ?? null;
  const about = { scenes: subscene && named.length === 0 ? [sceneOf(subscene)] : named, subscene, range };

  const seeksMost = most.test(text);
  if (seeksMost && ofCategories.test(text)) return { ...about, asks: "top scene", scenes: [], subscene: null };
  if (seeksMost && ofDates.test(text) && named.length === 1) return { ...about, asks: "busiest date" };
  if (seeksMost && ofExpenses.test(text)) return { ...about, asks: "largest" };
  return about.scenes.length > 0 || ofMoney.test(text) ? { ...about, asks: "sum" } : null;
}
