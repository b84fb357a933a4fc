/** Recipes over recipes: what is written later wins, field by field; lists are replaced as a whole. */

export type Fields = Readonly<Record<string, unknown>>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** An objective or a schedule is one choice: fields of another one would make no sense of it. */
const isChoice = (value: Fields) => "loss" in value || "kind" in value;

export function mergeFields(base: Fields, changes: Fields): Fields {
  const merged: Record<string, unknown> = { ...base };
  for (const [key, value] of Object.entries(changes)) {
    const old = merged[key];
    merged[key] = isFields(old) && isFields(value) && !isChoice(value) ? mergeFields(old, value) : value;
  }
  return merged;
}

/** `{ "rollout.G": 8 }` is `{ rollout: { G: 8 } }`. */
export function nested(fields: Fields): Fields {
  return Object.entries(fields).reduce<Fields>((all, [path, value]) => {
    const written = path.split(".").reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);
    return mergeFields(all, written as Fields);
  }, {});
}
