/** LangGraph's state updates without LangGraph: the loop driver folds the same partial states with the same reducers. */
import { ReducedValue, type StateSchema } from "@langchain/langgraph";

// biome-ignore lint/suspicious/noExplicitAny: StateSchema's own field type is any
type AnySchema = StateSchema<any>;

/** Every field at its default, then the input folded in. */
export function openState<S extends AnySchema>(schema: S, input: Partial<S["Update"]>): S["State"] {
  const state: Record<string, unknown> = {};
  for (const [key, fresh] of defaultsOf(schema)) state[key] = fresh();
  return foldState(schema, state as S["State"], input);
}

export function foldState<S extends AnySchema>(schema: S, state: S["State"], update: Partial<S["Update"]>): S["State"] {
  const next = { ...(state as Record<string, unknown>) };
  for (const [key, value] of Object.entries(update)) {
    if (value === undefined) continue;
    const field = schema.fields[key];
    next[key] = ReducedValue.isInstance(field) ? field.reducer(next[key], value) : value;
  }
  return next as S["State"];
}

type Defaults = readonly (readonly [key: string, fresh: () => unknown])[];

const defaults = new WeakMap<AnySchema, Defaults>();

function defaultsOf(schema: AnySchema): Defaults {
  const known = defaults.get(schema);
  if (known) return known;
  const made = Object.entries(schema.fields).map(([key, field]) => {
    const fresh = () => parseNothing(ReducedValue.isInstance(field) ? field.valueSchema : field);
    const value = fresh();
    // plain values need no parsing in every session; objects are made anew, so that no two sessions share one
    return [key, value !== null && typeof value === "object" ? fresh : () => value] as const;
  });
  defaults.set(schema, made);
  return made;
}

function parseNothing(schema: unknown): unknown {
  const { validate } = (schema as { "~standard": { validate(value: unknown): { value?: unknown } } })["~standard"];
  return validate(undefined).value;
}
