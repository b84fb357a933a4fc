/** Where two JSON values differ, as paths to what is on either side. Keys are compared whatever their order, arrays in order. */

export interface ValueDifference {
  /** e.g. `calls[2].args.title`; empty for the value itself. */
  readonly field: string;
  /** Undefined where a side has nothing there. */
  readonly a: unknown;
  readonly b: unknown;
}

export function* valueDifferences(a: unknown, b: unknown, field = ""): Generator<ValueDifference> {
  if (Object.is(a, b)) return;
  if (Array.isArray(a) && Array.isArray(b)) {
    for (let i = 0; i < Math.max(a.length, b.length); i++) yield* valueDifferences(a[i], b[i], `${field}[${i}]`);
    return;
  }
  if (isPlain(a) && isPlain(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      // an own key that is named like one of Object's is data too
      const of = (value: Record<string, unknown>) => (Object.hasOwn(value, key) ? value[key] : undefined);
      yield* valueDifferences(of(a), of(b), field === "" ? key : `${field}.${key}`);
    }
    return;
  }
  yield { field, a, b };
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
