/** LangGraph's state updates without LangGraph: the loop driver folds the same partial states with the same reducers. */
import { ReducedValue, type StateSchema } from "@langchain/langgraph";

// biome-ignore lint/suspicious/noExplicitAny: StateSchema's own field type is any
type AnySchema = StateSchema<any>;

/** Every field at its default, then the input folded in. */
export function openState<S extends AnySchema>(schema: S, input: Partial<S["Update"]>): S["State"] {
  const state: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(schema.fields)) state[key] = defaultOf(field);
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

function defaultOf(field: unknown): unknown {
  const schema = ReducedValue.isInstance(field) ? field.valueSchema : field;
  const parsed = (schema as { "~standard": { validate(value: unknown): { value?: unknown } } })["~standard"].validate(
    undefined,
  );
  return parsed.value;
}
