/**
 * A data set's answer as the text that metrics compare: numbers as written, lists joined by ", ".
 *
 * null stays null, since absent is not a word; `uma-code` turns it into "None", which then matches an answer "None".
 */
import type { ProfileOptions } from "./profile.ts";

export function answerText(value: unknown, options: ProfileOptions = {}): string | null {
  if (value === null || value === undefined) return options.profile === "uma-code" ? "None" : null;
  if (Array.isArray(value)) return value.map((item) => answerText(item, options) ?? "").join(", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}
