/**
 * Tool calls as providers return them through LangChain, in the provider's order (decisions §5 rule 6).
 *
 * LangChain splits what came into `tool_calls` and `invalid_tool_calls`, drops their order, and lets arguments through that
 * are no objects; an unreadable call leaves `content` empty, which must not be taken for an empty answer. So the provider's
 * own list is read where it is kept (`additional_kwargs.tool_calls`), and every entry of it becomes a call.
 * Text beside the calls is read as hermes text too, since some servers leave the model's tags in it.
 */
import type { AIMessage } from "@langchain/core/messages";
import { canonicalJson } from "../../base/hash.ts";
import type { ParsedCall } from "../../tools/call.ts";
import { callId } from "./call-id.ts";
import { type ParsedReply, parseHermes } from "./parse-hermes.ts";
import { type CallReading, excerpt, isObject, readArguments, unreadable } from "./read-call.ts";
import { type MendingBudget, mendingBudget } from "./read-json.ts";
import { withoutThinking } from "./without-thinking.ts";

export interface ParseNativeOptions {
  /** Fresh ids are this plus a running number. */
  readonly idPrefix: string;
  /** Ids that the session has used already; some servers count from zero in every reply. */
  readonly taken?: ReadonlySet<string>;
}

/** What an unreadable call said, cut at 2,000 characters. */
export interface UnreadCall {
  readonly id: string;
  readonly text: string;
}

export interface ParsedNativeReply extends ParsedReply {
  readonly unread: readonly UnreadCall[];
}

interface RawCall {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly args?: unknown;
  /** What stood in the provider's list where a call should be. */
  readonly entry?: unknown;
}

export function parseNative(message: AIMessage, options: ParseNativeOptions): ParsedNativeReply {
  const budget = mendingBudget();
  const native = rawCalls(message).map((raw) => ({ ...readRaw(raw, budget), raw }));
  const reply = parseHermes(withoutThinking(textOf(message)), { idPrefix: "" });
  const told = new Set(native.map(sameness));
  const written = reply.calls.filter((call) => !told.has(sameness(call))).map((call) => ({ ...call, raw: null }));

  const used = new Set(options.taken);
  const unread: UnreadCall[] = [];
  const calls = [...native, ...written].map((call, k): ParsedCall => {
    const { name, args, error, repaired, raw } = call;
    const own = typeof raw?.id === "string" && raw.id !== "" && !used.has(raw.id) ? raw.id : null;
    const id = own ?? freshId(options.idPrefix, k, used);
    used.add(id);
    if (error !== null && raw !== null) {
      const text = Object.hasOwn(raw, "entry") ? said(raw.entry) : raw.args;
      if (typeof text === "string") unread.push({ id, text: text.slice(0, 2_000) });
    }
    return { id, name, args, error, repaired };
  });
  return { text: reply.text, calls, unread };
}

/** What a message says in words: a string, or the text parts of a list of parts; null counts as nothing. */
export function textOf(message: { readonly content: unknown }): string {
  if (typeof message.content === "string") return message.content;
  if (!Array.isArray(message.content)) return "";
  return message.content
    .map((part: unknown) => {
      if (typeof part === "string") return part;
      return isObject(part) && part.type === "text" && typeof part.text === "string" ? part.text : "";
    })
    .join("");
}

function rawCalls(message: AIMessage): RawCall[] {
  const parsed: RawCall[] = [...(message.tool_calls ?? []), ...(message.invalid_tool_calls ?? [])];
  const provider: unknown = message.additional_kwargs?.raw_tool_calls ?? message.additional_kwargs?.tool_calls;
  if (Array.isArray(provider) && provider.length > 0 && provider.length >= parsed.length) {
    if (provider.every(isFunctionCall)) return provider.map(functionCall);
    // an entry that is no call was meant as one: LangChain leaves it out
    if (provider.length > parsed.length || parsed.some(isNoCall))
      return provider.map((entry: unknown) => {
        if (isFunctionCall(entry)) return functionCall(entry);
        const known = isObject(entry) && parsed.find((call) => call.id !== undefined && call.id === entry.id);
        return known && !isNoCall(known) ? known : { ...(isObject(entry) && { id: entry.id }), entry };
      });
  }
  if (parsed.length > 0) return inContentOrder(message.content, parsed);
  // the form before tool_calls; where both come, the old one only repeats the first call
  const legacy: unknown = message.additional_kwargs?.function_call;
  if (!isObject(legacy)) return [];
  const name = typeof legacy.name === "string" ? legacy.name.replace(/:$/, "") : undefined;
  return [{ name, args: legacy.arguments }];
}

const functionCall = ({ id, function: { name, arguments: args } }: FunctionCall): RawCall => ({ id, name, args });

const isNoCall = (call: RawCall) => call.name === undefined && call.args === undefined;

interface FunctionCall {
  readonly id?: unknown;
  readonly function: { readonly name?: unknown; readonly arguments?: unknown };
}

const isFunctionCall = (entry: unknown): entry is FunctionCall => isObject(entry) && isObject(entry.function);

/** Providers that answer in parts keep the order there. */
function inContentOrder(content: unknown, calls: readonly RawCall[]): RawCall[] {
  if (!Array.isArray(content)) return [...calls];
  const positions = new Map<unknown, number>();
  content.forEach((part: unknown, at) => {
    if (isObject(part) && typeof part.id === "string" && !positions.has(part.id)) positions.set(part.id, at);
  });
  const position = (call: RawCall) => positions.get(call.id) ?? Number.MAX_SAFE_INTEGER;
  return [...calls].sort((a, b) => position(a) - position(b));
}

function readRaw(raw: RawCall, budget: MendingBudget): CallReading {
  if (Object.hasOwn(raw, "entry"))
    return unreadable(`expected a call with a function's name and arguments, got ${excerpt(said(raw.entry))}`);
  const name = typeof raw.name === "string" ? raw.name.trim() : "";
  if (name === "")
    return unreadable(
      `the call names no tool${typeof raw.args === "string" ? ` (its arguments: ${excerpt(raw.args)})` : ""}`,
    );
  const reading = readArguments(raw.args, budget);
  if (!reading.ok) return unreadable(reading.reason, name);
  return { name, args: reading.args, error: null, repaired: reading.repaired };
}

const said = (entry: unknown) => (typeof entry === "string" ? entry : (JSON.stringify(entry) ?? "nothing"));

const sameness = (call: CallReading) => `${call.name} ${call.args === null ? call.error : canonicalJson(call.args)}`;

function freshId(prefix: string, from: number, used: ReadonlySet<string>): string {
  for (let k = from; ; k++) {
    const id = callId(prefix, k);
    if (!used.has(id)) return id;
  }
}
