/** From a parsed JSON value to a tool call: which tool, which arguments, and what was wrong with it. */
import type { ParsedCall } from "../../tools/call.ts";
import { type MendingBudget, nestsTooDeep, readJson } from "./read-json.ts";

export type CallReading = Omit<ParsedCall, "id">;

export const unreadable = (error: string, name = ""): CallReading => ({ name, args: null, error, repaired: false });

/** The calls in a value: an object is one, a list is as many as it has items, and so is `{ "tool_calls": [...] }`. */
export function readCalls(value: unknown, options: { budget: MendingBudget; repaired: boolean }): CallReading[] {
  const list = Array.isArray(value)
    ? value
    : isObject(value) && Array.isArray(value.tool_calls)
      ? value.tool_calls
      : null;
  if (!list) return [readCall(value, options)];
  if (list.length === 0) return [unreadable("the list of calls is empty")];
  const calls = list.slice(0, MOST_CALLS).map((item) => readCall(item, { ...options, repaired: true }));
  const beyond = list.length - calls.length;
  return beyond === 0
    ? calls
    : [...calls, unreadable(`${beyond} more calls in one list were not read; send fewer at once`)];
}

/** Enough for any honest turn; keeps a megabyte of `{},{},` from becoming a hundred thousand observations. */
const MOST_CALLS = 64;

function readCall(value: unknown, options: { budget: MendingBudget; repaired: boolean }): CallReading {
  if (!isObject(value)) return unreadable(`expected an object with "name" and "arguments", got ${kindOf(value)}`);
  // the shape of native calls, {"type": "function", "function": {...}}, is often copied into text
  const nested = isObject(value.function) ? value.function : null;
  const call = nested ?? value;
  const name = typeof call.name === "string" ? call.name.trim() : "";
  if (name === "") return unreadable('the call has no "name"');
  const key = ARGUMENT_KEYS.find((candidate) => Object.hasOwn(call, candidate));
  if (key === undefined) return { name, args: withoutKeys(call, ["name", "type", "id"]), error: null, repaired: true };
  const reading = readArguments(call[key], options.budget);
  if (!reading.ok) return unreadable(reading.reason, name);
  const asWritten = !options.repaired && !nested && key === "arguments" && isObject(call[key]);
  return { name, args: reading.args, error: null, repaired: !asWritten || reading.repaired };
}

/** Arguments that stand beside the name instead of inside "arguments". */
function withoutKeys(call: Record<string, unknown>, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(call).filter(([key]) => !keys.includes(key)));
}

const ARGUMENT_KEYS = ["arguments", "parameters", "args"];

export type ArgumentsReading =
  | { readonly ok: true; readonly args: Record<string, unknown>; readonly repaired: boolean }
  | { readonly ok: false; readonly reason: string };

/** Arguments come as an object, or as the JSON text of one; a text of a text is undone once and counts as repaired. */
export function readArguments(raw: unknown, budget: MendingBudget): ArgumentsReading {
  if (typeof raw !== "string") return objectOnly(raw, false);
  const text = raw.trim();
  // how several servers write a call without arguments; a tool that needs some says so itself
  if (text === "") return { ok: true, args: {}, repaired: true };
  if (text.startsWith("{")) {
    const reading = readJson(text, { budget, cutOff: true });
    return reading.ok
      ? objectOnly(reading.value, reading.repaired)
      : { ok: false, reason: refusal(reading.reason, raw) };
  }
  let value: unknown = raw;
  try {
    value = JSON.parse(text);
  } catch {
    return { ok: false, reason: refusal("they are not a JSON object", raw) };
  }
  if (typeof value !== "string" || !value.trim().startsWith("{")) return objectOnly(value, false);
  const inner = readJson(value.trim(), { budget, cutOff: true });
  return inner.ok ? objectOnly(inner.value, true) : { ok: false, reason: refusal(inner.reason, value) };
}

function objectOnly(value: unknown, repaired: boolean): ArgumentsReading {
  if (!isObject(value)) return { ok: false, reason: refusal(`they are ${kindOf(value)}`) };
  if (nestsTooDeep(value)) return { ok: false, reason: refusal("they are nested too deep") };
  return { ok: true, args: value, repaired };
}

const refusal = (why: string, raw?: string) =>
  `the arguments must be one JSON object such as {} or {"title": "..."}: ${why}${raw === undefined ? "" : ` (got ${excerpt(raw)})`}`;

/** The beginning of what came, quoted, so that the model sees which call is meant. */
export function excerpt(text: string): string {
  return JSON.stringify(text.length <= 80 ? text : `${text.slice(0, 80)}…`);
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === "object" && !Array.isArray(value);

export function kindOf(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "a list";
  if (value === "") return "an empty text";
  return typeof value === "object" ? "an object" : `a ${typeof value === "string" ? "text" : typeof value}`;
}
