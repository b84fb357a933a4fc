/** Reads a file that a person wrote, YAML or JSON; what it may hold is for the caller to check. */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { messageOf, UmaError } from "./errors.ts";

/** Throws `input`, with `fix`, for a file that is not there or cannot be parsed. */
export function readYaml(path: string, fix: string): unknown {
  try {
    return parse(readFileSync(path, "utf8"));
  } catch (cause) {
    const missing = (cause as NodeJS.ErrnoException).code === "ENOENT";
    throw new UmaError("input", missing ? `there is no file ${path}` : `${path}: ${messageOf(cause).trim()}`, {
      fix,
      cause,
    });
  }
}
