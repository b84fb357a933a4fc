/** Makes a folder with those above it, or says why not: Node names a missing folder even where the disk is read-only. */
import { accessSync, constants, existsSync, mkdirSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { messageOf, UmaError } from "./errors.ts";

/** True when it was not there before. Throws `store`; `fix` is what the user can do. */
export function makeFolder(path: string, fix: string): boolean {
  try {
    return mkdirSync(path, { recursive: true }) !== undefined;
  } catch (cause) {
    throw new UmaError("store", `cannot make the folder ${path}: ${messageOf(obstacle(path) ?? cause)}`, {
      fix,
      cause,
    });
  }
}

/** What keeps the nearest folder that exists from being written to. */
function obstacle(path: string): unknown {
  let above = dirname(resolve(path));
  while (!existsSync(above)) above = dirname(above);
  try {
    accessSync(above, constants.W_OK);
    return null;
  } catch (thrown) {
    return thrown;
  }
}
