/** Which run folders a path means: itself, or the cells of a batch below it. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { UmaError } from "../base/errors.ts";

export function runFoldersIn(path: string): string[] {
  if (!existsSync(path) || !statSync(path).isDirectory()) {
    throw new UmaError("input", `there is no folder ${path}`, {
      fix: "give a folder that `umagraph eval` or `umagraph rollout` has written, e.g. runs/…",
    });
  }
  if (existsSync(join(path, "config.json"))) return [path];
  const cells = readdirSync(path)
    .sort()
    .map((name) => join(path, name))
    .filter((folder) => existsSync(join(folder, "config.json")));
  if (cells.length === 0) {
    throw new UmaError("input", `${path} holds no run: neither it nor a folder in it has a config.json`, {
      fix: "give a folder that `umagraph eval` or `umagraph rollout` has written",
    });
  }
  return cells;
}
