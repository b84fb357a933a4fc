/** Puts a query into words. */
import type { Rng } from "../../../base/rng.ts";
import { ask, listNote } from "./forms/ask.ts";
import { fill, formsFor, type Wording } from "./forms/form.ts";
import type { Query, QuestionType } from "./questions.ts";
import { labelOf, type Subscene } from "./taxonomy.ts";

const listed: ReadonlySet<QuestionType> = new Set(["max_scene", "max_frequency_date"]);

export function phraseQuestion(query: Query, wording: Wording, random: Rng): string {
  const [from, to = from] = query.dates;
  const slots: Record<string, string> = {};
  if (query.dates.length === 2) Object.assign(slots, { from, to });
  if (query.dates.length === 1) slots.date = from!;
  if (query.scenes.length > 0) Object.assign(slots, { scene: query.scenes[0]!, scenes: joinNames(query.scenes) });
  if (query.subscene !== undefined) slots.label = labelOf(query.subscene as Subscene);
  const text = fill(random.pick(formsFor(ask[query.type], wording)), slots);
  return listed.has(query.type) ? `${text} ${listNote}` : text;
}

/** "A", "A and B", "A, B and C". */
const joinNames = (names: readonly string[]): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
