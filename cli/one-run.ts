/** The one run folder that a command is about. */
import { UmaError } from "../base/errors.ts";
import { runFoldersIn } from "./run-folders.ts";

/** Throws `config` unless exactly one folder was named, `input` when it holds no run or several. */
export function oneRunFolder(command: string, positionals: readonly string[]): string {
  const [path, ...more] = positionals;
  const fix = `umagraph ${command} runs/<folder>`;
  if (path === undefined) throw new UmaError("config", "no run folder given", { fix });
  if (more.length > 0)
    throw new UmaError("config", `expected one run folder, got ${positionals.length}: ${positionals.join(", ")}`, {
      fix,
    });
  const [folder, ...others] = runFoldersIn(path) as [string, ...string[]];
  if (others.length > 0)
    throw new UmaError("input", `${path} holds ${others.length + 1} runs, expected one`, {
      fix: `choose one of them, e.g. umagraph ${command} ${folder}`,
    });
  return folder;
}
