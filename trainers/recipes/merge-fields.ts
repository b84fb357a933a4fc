/**
 * Recipes over recipes: what is written later wins, field by field; lists are replaced as a whole, or changed by the
 * number of an entry.
 */
import { UmaError } from "../../base/errors.ts";

export type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An objective or a schedule is one choice: fields of another one would make no sense of it. */
const isChoice = (value: Fields) => "loss" in value || "kind" in value;

export function mergeFields(base: Fields, changes: Fields): Fields {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(changes)) {
    const old = merged[key];
    if (Array.isArray(old) && isFields(value)) merged[key] = withEntries(old, value, key);
    else merged[key] = isFields(old) && isFields(value) && !isChoice(value) ? mergeFields(old, value) : value;
  }
  return merged;
}

/** `{ "0": { contexts: 4 } }` over a list changes its first entry. */
function withEntries(list: readonly unknown[], changes: Fields, key: string): unknown[] {
  const unknown = Object.keys(changes).find((at) => !(/^\d+$/.test(at) && Number(at) < list.length));
  if (unknown !== undefined)
    throw new UmaError("config", `${key}: there is no entry ${unknown} in a list of ${list.length}`, {
      fix: "entries are counted from 0; or give the whole list",
    });
  return Object.values(mergeFields({ ...list }, changes));
}

/** `{ "rollout.G": 8 }` is `{ rollout: { G: 8 } }`. */
export function nested(fields: Fields): Fields {
  return Object.entries(fields).reduce<Fields>((all, [path, value]) => {
    const written = path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
    return mergeFields(all, written as Fields);
  }, {});
}
