/**
 * Parse → repair → reject, for one JSON object or array that a model wrote (decisions §5, rule 6).
 *
 * What strict parsing takes is taken as it is. Otherwise the text is mended (trailing commas, single quotes, Python
 * literals, missing brackets, raw line breaks …) and marked as repaired. What cannot be mended safely is refused with a
 * reason: a string that was cut off is never completed, because half a note would then replace a whole one.
 *
 * A key named twice is read as JSON reads it, the last one wins, and the call is marked as repaired: the model meant one
 * of the two, and the count shows that it happened.
 */
import { jsonrepair } from "jsonrepair";
import { messageOf } from "../../base/errors.ts";
import { jsonExtent, MAX_DEPTH } from "./json-extent.ts";

export type JsonReading =
  | { readonly ok: true; readonly value: unknown; readonly repaired: boolean }
  | { readonly ok: false; readonly reason: string };

/** Mending takes quadratic time on text full of stray quotes, so one reply may spend only so many characters on it. */
export interface MendingBudget {
  left: number;
}

export const mendingBudget = (): MendingBudget => ({ left: 65_536 });

/** The longest text that is mended; a longer one must be valid as it stands. */
const LONGEST_MENDED = 32_768;

export interface ReadJsonOptions {
  readonly budget: MendingBudget;
  /** The reply ended here, so an open string was cut off rather than misquoted. */
  readonly cutOff?: boolean;
}

/** `text` starts with a bracket; anything after the value makes it invalid, so slice it first. */
export function readJson(text: string, options: ReadJsonOptions): JsonReading {
  const extent = jsonExtent(text, 0, text.length);
  if (extent.depth > MAX_DEPTH) return refuse(`it is nested deeper than ${MAX_DEPTH} levels`);
  let strictReason: string;
  try {
    return { ok: true, value: JSON.parse(text), repaired: extent.duplicateKeys };
  } catch (error) {
    strictReason = messageOf(error);
  }
  const endsInBracket = /[}\]]\s*$/.test(text.slice(-64));
  if (extent.openString && (options.cutOff || !endsInBracket))
    return refuse("it was cut off in the middle of a string");
  // the mender makes a key with the value null of any loose word
  if (!text.includes(":")) return refuse(`it is not valid JSON (${strictReason})`);
  if (text.length > LONGEST_MENDED || text.length > options.budget.left)
    return refuse(`it is not valid JSON (${strictReason}) and too long to be mended`);
  options.budget.left -= text.length;
  try {
    const value: unknown = JSON.parse(jsonrepair(escapeControls(text)));
    // mending turns loose prose into strings; only a container counts as a call
    if (value !== null && typeof value === "object" && !nestsTooDeep(value)) return { ok: true, value, repaired: true };
  } catch {
    // the strict reason below says more about the text than the mender's
  }
  return refuse(`it is not valid JSON (${strictReason})`);
}

const refuse = (reason: string): JsonReading => ({ ok: false, reason });

/** The mender knows line breaks and tabs; other raw control characters are data that only lacks its escape. */
function escapeControls(text: string): string {
  return text.replace(
    /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Without recursion, since it guards against exactly what would overflow the stack. */
export function nestsTooDeep(value: object): boolean {
  let level: object[] = [value];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > MAX_DEPTH) return true;
    level = level.flatMap((container) =>
      Object.values(container).filter((held): held is object => held !== null && typeof held === "object"),
    );
  }
  return false;
}
