/** Where our own learner keeps what it calls `tinker://<run>/<kind>/<name>`: a folder below its checkpoints. */
import { join } from "node:path";

/** Null for a path that is none of that form. */
export function publishedFolder(checkpoints: string, path: string): string | null {
  const [, run, kind, name] = /^tinker:\/\/(\w[\w.:-]*)\/(weights|sampler_weights)\/(\w[\w.-]*)$/.exec(path) ?? [];
  if (run === undefined || kind === undefined || name === undefined) return null;
  // colons are not allowed in file names everywhere
  return join(checkpoints, run.replaceAll(":", "~"), kind, name);
}
