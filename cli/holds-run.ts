/** Whose config.json a folder has: a run's, or a model's. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

export const holdsRun = (folder: string): boolean => existsSync(join(folder, "config.json")) && !isModelFolder(folder);

/** A config.json that cannot be read is taken for a run's: reading it says what is wrong. */
export function isModelFolder(folder: string): boolean {
  try {
    const config: unknown = JSON.parse(readFileSync(join(folder, "config.json"), "utf8"));
    return typeof config === "object" && config !== null && "model_type" in config;
  } catch {
    return false;
  }
}
