/**
 * How the sessions were set up that a small model was trained on: session.json in its folder. A model that knows one
 * instruction and one toolset by heart can do nothing with others, so these are its defaults wherever a person chooses none.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";

export const sessionFile = "session.json";

export const TrainedSessions = z
  .strictObject({
    toolset: z.string().min(1),
    prompts: z.string().min(1),
    maxTurns: z.int().min(1),
  })
  .partial();
export type TrainedSessions = z.infer<typeof TrainedSessions>;

/** Null for a folder that does not say. Throws `input` for a file that says something else. */
export function readTrainedSessions(folder: string): TrainedSessions | null {
  const path = join(folder, sessionFile);
  if (!existsSync(path)) return null;
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(path, "utf8"));
  } catch {
    value = null;
  }
  const parsed = TrainedSessions.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new UmaError("input", `${path}: ${z.prettifyError(parsed.error)}`, {
    fix: `write it as { "toolset": "ledger", "prompts": "micro", "maxTurns": 8 }, or delete it`,
  });
}
