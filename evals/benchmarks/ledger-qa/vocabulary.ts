/**
 * Every word of the micro profile: what a small policy's tokenizer has to hold. Case counts; digits and marks do not.
 *
 * Held-out sentences are new orders of known words: leaving them out changes nothing here (a test says so), so a policy
 * trained on the train split has met every word of the test split.
 */
import { listNote } from "./forms/ask.ts";
import { catalog } from "./forms/catalog.ts";
import { fill, formsFor, type Split } from "./forms/form.ts";
import { items } from "./items.ts";
import { labelOf, subscenes } from "./taxonomy.ts";

/** Sorted, each once. */
export function microVocabulary(split: Split = "test"): string[] {
  const things = subscenes.flatMap((subscene) => items[subscene].micro);
  const forms = Object.values(catalog).flatMap(({ set }) => formsFor(set, { profile: "micro", split }));
  const sentences = forms.flatMap((form) =>
    // a thing that starts a sentence brings a capital letter with it
    form.startsWith("{item}") ? things.map((item) => fill("{item}", { item })) : [form.replace(/\{\w+\}/g, " ")],
  );
  const frame = ["User said", "Assistant said", "dollars", listNote];
  const text = [
    ...sentences,
    ...forms.map((form) => form.replace(/\{\w+\}/g, " ")),
    ...things,
    ...subscenes.map(labelOf),
    ...frame,
  ];
  return [...new Set(wordsOf(text.join("\n")))].sort();
}

/** Runs of letters. */
export const wordsOf = (text: string): string[] => text.match(/\p{L}+/gu) ?? [];
