/** Content hashes of what an entry said before and after a write. */
import { contentHash } from "../../base/hash.ts";
import type { Version } from "../../memory/bank.ts";

export function writeHashes({ before, after }: Pick<Version, "before" | "after">): {
  readonly before: string | null;
  readonly after: string | null;
} {
  return { before: textHash(before), after: textHash(after) };
}

const textHash = (text: Version["before"]) => (text ? contentHash(JSON.stringify([text.title, text.content])) : null);
