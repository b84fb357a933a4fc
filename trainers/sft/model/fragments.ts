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
  ...["", ".", "?", "!"].flatMap((mark) => [
    ...["User", "Assistant"].map((speaker) => `${mark}"\n${speaker}: "`),
    `${mark}"\n[`,
    `${mark}"\n</chunk>`,
  ]),
];

const named = (name: string, first: string) => `<tool_call>{"name":"${name}","arguments":{"${first}":"`;
const ofCalls = [
  ...["memory_add", "memory_update", "memory_delete", "memory_key_retrieve"].map((name) => named(name, "title")),
  ...["sum", "max", "count"].map((operation) => named("ledger_aggregate", "operation") + operation),
  '","content":"',
  '","new_title":"',
  '","from":"',
  '","to":"',
  '","scenes":["',
  '","group_by":"scene"}}</tool_call>',
  '"],"group_by":"date"}}</tool_call>',
  '","',
  '"}}</tool_call>',
  '"]}}</tool_call>',
  "\\boxed{",
];

const tools = [
  "memory_add",
  "memory_update",
  "memory_delete",
  "memory_key_retrieve",
  "memory_list",
  "ledger_aggregate",
];
const searches = ["memory_bm25_retrieve", "memory_embedding_retrieve"];
const usable = (names: readonly string[]) => `Tools you can use: ${names.join(", ")}.`;

/** What the tools and the session say; where their wording changes, it costs tokens and nothing else. */
const ofObservations = [
  '{"value":"',
  '{"value":null,"lines":0}',
  '","lines":',
  '{"groups":[{"key":"',
  '","value":"',
  '},{"key":"',
  '}],"lines":',
  'No entry is titled "',
  '". Similar titles: "',
  '". Closest titles: ["',
  '", "',
  '"].',
  '".',
  'The title "',
  '" is taken. Update that entry, or choose another title.',
  " was not run. ",
  "content: Invalid input: expected string, received undefined. ",
  "Expected: memory_add(title: string, content: string).",
  "Expected: memory_update(title: string, content: string, new_title?: string).",
  ": expected a date like 2024-02-23, of a day that there is. ",
  "Expected: ledger_aggregate(operation: sum | count | max | min, from?: string, to?: string, scenes?: string[], sub_scene?: string, group_by?: scene | sub_scene | date).",
  'There is no tool named "',
  `". ${usable(tools)}`,
  ` cannot be used while a question is being answered. ${usable([...tools.slice(3, 5), ...searches, "ledger_aggregate"])}`,
  "This is the last turn for this chunk and no tools are left. Reply now with the new core only, as plain text.",
  "This is the last turn for this question and no tools are left. Reply now with your final answer, as plain text.",
  "Not run: no tools are left in this session.",
  "<tool_call>",
  "</tool_call>",
  '{"name":"',
  '","arguments":{',
  ...tools,
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
