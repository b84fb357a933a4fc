/** Reads a question about the ledger: what is asked, of which categories, in which days. */
import { takeDates } from "./dates.ts";
import { type Scene, type Subscene, sceneOf, scenes, subscenes } from "./taxonomy.ts";
import { thingIn } from "./things.ts";

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
/** What must not be answered with a sum over all time: other questions, and times that are not given as dates. */
const ofOtherKind = /\b(?:how many|how often|average|mean|median|lowest|smallest|least|cheapest|fewest)\b/;
const ofOtherTime =
  /\d|\b(?:today|yesterday|(?:this|last|past|next|each|every|per) (?:day|week|month|year)|(?:in|during|of|since) (?:january|february|march|april|may|june|july|august|september|october|november|december))\b/;
const ofMoney =
  /\b(?:how much|spen[dt]|spending|total|sum|add up|figure|number for|cost|bill|paid|pay|went in|came to|wallet|expenses?)\b/;

/** "other" is a category only with a capital letter. */
const sceneNames = new RegExp(
  `\\b(?:${scenes.map((scene) => (scene === "Other" ? scene : `${scene}|${scene.toLowerCase()}`)).join("|")})\\b`,
  "g",
);
/** A category in full, "Dining - Coffee"; longer names first, "Books & Materials" before "Books". */
const label = new RegExp(
  `\\b(?:${scenes.join("|")}) - (${[...subscenes].sort((a, b) => b.length - a.length).join("|")})(?!\\w)`,
);

/** null when the text asks nothing that a ledger can answer. */
export function readQuery(question: string): Query | null {
  const { text, dates } = takeDates(question.toLowerCase(), "@");
  if (dates.length > 2 || ofOtherKind.test(text) || ofOtherTime.test(text)) return null;
  const range = rangeOf(dates, text);

  const labelled = label.exec(question)?.[1] as Subscene | undefined;
  const named = [...new Set((question.match(sceneNames) ?? []).map(sceneNamed))];
  // "how much was coffee on …": a thing, where no category is named
  const subscene = labelled ?? (named.length === 0 ? (thingIn(text)?.subscene ?? null) : null);
  const about = { scenes: subscene ? [sceneOf(subscene)] : named, subscene, range };

  if (most.test(text)) {
    if (ofCategories.test(text)) return { ...about, asks: "top scene", scenes: [], subscene: null };
    if (ofDates.test(text)) return named.length === 1 ? { ...about, asks: "busiest date" } : null;
    return ofExpenses.test(text) ? { ...about, asks: "largest" } : null;
  }
  return about.scenes.length > 0 || ofMoney.test(text) ? { ...about, asks: "sum" } : null;
}

function rangeOf(dates: readonly string[], text: string): Query["range"] {
  const [from, to] = dates.toSorted();
  if (from === undefined) return null;
  if (to !== undefined) return { from, to };
  if (/\bsince\b/.test(text)) return { from, to: "9999-12-31" };
  return /\b(?:until|up to)\b/.test(text) ? { from: "0000-01-01", to: from } : { from, to: from };
}

const sceneNamed = (text: string): Scene => scenes.find((scene) => scene.toLowerCase() === text.toLowerCase())!;
