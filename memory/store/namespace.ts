/**
 * Namespaces and ids as text that cannot leak: JSON is one to one, so no separator, wildcard, case or normal form makes
 * two keys equal, and a lone surrogate or NUL, which SQLite's UTF-8 would lose, is escaped.
 */
import { UmaError } from "../../base/errors.ts";
import type { MemoryKey } from "./memory-store.ts";

export function encodeKey(key: MemoryKey): { namespace: string; id: string } {
  if (typeof key.id !== "string") throw new UmaError("config", `a memory id must be a string, got ${typeof key.id}`);
  return { namespace: encodeNamespace(key.namespace), id: JSON.stringify(key.id) };
}

export function decodeKey(encoded: { namespace: string; id: string }): MemoryKey {
  return { namespace: JSON.parse(encoded.namespace) as string[], id: JSON.parse(encoded.id) as string };
}

export function encodeNamespace(namespace: readonly string[]): string {
  if (!Array.isArray(namespace) || namespace.some((segment) => typeof segment !== "string")) {
    throw new UmaError("config", `a namespace must be a list of strings, got ${JSON.stringify(namespace)}`);
  }
  return JSON.stringify(namespace);
}

/**
 * The half-open range [from, to) of encoded namespaces strictly below this one, in byte order. `["acme"` and a comma
 * begins only lists whose first segment is exactly `acme`: the quote that ends a segment is never escaped.
 */
export function rangeBelow(namespace: readonly string[]): { from: string; to: string } {
  const open = encodeNamespace(namespace).slice(0, -1);
  return namespace.length === 0 ? { from: `${open}"`, to: `${open}#` } : { from: `${open},`, to: `${open}-` };
}

/** By namespace segment by segment, then by id; code units. */
export function compareKeys(one: MemoryKey, other: MemoryKey): number {
  const left = [...one.namespace];
  const right = [...other.namespace];
  for (let at = 0; at < Math.min(left.length, right.length); at++) {
    if (left[at] !== right[at]) return left[at]! < right[at]! ? -1 : 1;
  }
  if (left.length !== right.length) return left.length - right.length;
  return one.id === other.id ? 0 : one.id < other.id ? -1 : 1;
}

/** For messages: `"trip" in ["acme"]`. */
export function nameOf(key: MemoryKey): string {
  return `${JSON.stringify(key.id)} in ${JSON.stringify(key.namespace)}`;
}
