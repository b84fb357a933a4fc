/** A user's own list of LoCoMo questions to leave out: a JSON array of { "id": "conv-26:5", "reason": "…" }. */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { messageOf, UmaError } from "../../../base/errors.ts";
import type { BadGold } from "./known-bad-gold.ts";

const listSchema = z.array(
  z.strictObject({
    id: z.string().regex(/^.+:\d+$/, 'expected a conversation and a row, e.g. "conv-26:5"'),
    reason: z.string(),
    questionHash: z.string().optional(),
  }),
);

/** Throws `input` when the file is missing or malformed. */
export function readBadGold(path: string): BadGold[] {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, "utf8"));
  } catch (cause) {
    throw new UmaError("input", `cannot read the list of bad golds ${path}: ${messageOf(cause).replace(/\s+/g, " ")}`, {
      fix: 'give a JSON file such as [{ "id": "conv-26:5", "reason": "the evidence says Saturday" }]',
      cause,
    });
  }
  const parsed = listSchema.safeParse(content);
  if (parsed.success)
    return parsed.data.map(({ questionHash, ...entry }) => (questionHash ? { ...entry, questionHash } : entry));
  const issue = parsed.error.issues[0]!;
  throw new UmaError("input", `${path} at ${issue.path.join(".") || "the top"}: ${issue.message}`, {
    fix: 'each entry needs an "id" and a "reason"',
  });
}
