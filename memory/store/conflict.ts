/** The error of a lost race: it names both versions and what to do, the same in every store. */
import { UmaError } from "../../base/errors.ts";
import type { MemoryKey } from "./memory-store.ts";
import { nameOf } from "./namespace.ts";

/** `actual` is 0 when there is no such memory. */
export function conflict(key: MemoryKey, expected: number, actual: number): UmaError {
  const name = nameOf(key);
  if (expected === 0) {
    return new UmaError("conflict", `memory ${name} exists already, at version ${actual}; expected version 0 (none)`, {
      fix: `load version ${actual} and save with expectedVersion ${actual}, or choose another id`,
    });
  }
  if (actual === 0) {
    return new UmaError("conflict", `memory ${name} does not exist (version 0); expected version ${expected}`, {
      fix: "it was deleted meanwhile: save with expectedVersion 0 to create it anew",
    });
  }
  return new UmaError("conflict", `memory ${name} is at version ${actual}; expected version ${expected}`, {
    fix: `load version ${actual}, apply the change to it again, and save with expectedVersion ${actual}`,
  });
}
