/** Content addresses: prompts, data, chunks and embeddings are named by what they contain. */
import { createHash } from "node:crypto";

/** The first 16 hex digits of SHA-256 over UTF-8; enough to tell the texts of one run apart. */
export function contentHash(text: string | Uint8Array): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

/** JSON with sorted keys and no blanks: equal values give equal text, whatever order they were built in. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, held) => {
    if (held === null || typeof held !== "object" || Array.isArray(held)) return held;
    const source = held as Record<string, unknown>;
    const sorted: [string, unknown][] = Object.keys(source)
      .sort()
      .map((key) => [key, source[key]]);
    // fromEntries defines own properties, so a key named __proto__ stays data
    return Object.fromEntries(sorted);
  });
}
