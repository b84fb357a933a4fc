/**
 * Pieces of text that always come together in a ledger session, each one token: markup of prompts and calls, categories, dates.
 *
 * A policy of a million parameters pays for every token, so what carries no information costs one. Any other text is cut
 * into words, digits and marks (policy-tokenizer.ts).
 */
import { taxonomy } from "../../../policies/ledger-expert/taxonomy.ts";

const scenes = Object.keys(taxonomy) as (keyof typeof taxonomy)[];

const ofPrompts = [
  "Keep the books.",
  "Answer from the books.",
  "Daily spending.",
  "<core_memory>\n",
  "\n</core_memory>\n",
  "<chunk>\n[",
  "<question>\n",
  "\n</question>",
  '] User said, "',
  '] Assistant said, "',
  ...["", ".", "?", "!"].flatMap((mark) => [`${mark}"\n[`, `${mark}"\n</chunk>`]),
];

const named = (name: string, first: string) => `{"name":"${name}","arguments":{"${first}":"`;
const ofCalls = [
  ...["memory_add", "memory_update", "memory_delete", "memory_key_retrieve"].map((name) => named(name, "title")),
  ...["sum", "max", "count"].map((operation) => named("ledger_aggregate", "operation") + operation),
  '","content":"',
  '","new_title":"',
  '","from":"',
  '","to":"',
  '","scenes":["',
  '","group_by":"scene"}}',
  '"],"group_by":"date"}}',
  '","',
  '"}}',
  '"]}}',
  "\\boxed{",
];

const ofObservations = [
  '{"value":"',
  '","lines":',
  '{"groups":[{"key":"',
  '","value":"',
  '},{"key":"',
  '}],"lines":',
  'No entry is titled "',
  '". Similar titles: "',
  '". Closest titles: ["',
  '", "',
];

/** ` | Dining | Coffee | ` in the line of an entry, ` Dining -` where a dialogue names a category in full. */
const ofCategories = scenes.flatMap((scene) => [
  ` ${scene} -`,
  `${scene} -`,
  ...taxonomy[scene].map((subscene) => ` | ${scene} | ${subscene} | `),
]);

/** Matched wherever they stand, longest first. */
export const fragments: readonly string[] = [...ofPrompts, ...ofCalls, ...ofObservations, ...ofCategories];

/** ` Coffee`, ` Fast Food`: matched where no letter follows. */
export const names: readonly string[] = [
  ...scenes.flatMap((scene) => taxonomy[scene].map((subscene) => ` ${subscene}`)),
  ...scenes,
  ...scenes.map((scene) => ` ${scene}`),
];

const twoDigits = (n: number) => String(n).padStart(2, "0");
const upTo = (n: number) => Array.from({ length: n }, (_, i) => twoDigits(i + 1));

/** A date is a month and a day: `2024-02`, `-23`. Two years of months are tokens, further ones are spelled in digits. */
export const months: readonly string[] = [2023, 2024].flatMap((year) => upTo(12).map((month) => `${year}-${month}`));
export const days: readonly string[] = upTo(31).map((day) => `-${day}`);
