/**
 * Tool calls written as text: `<tool_call>{"name": …, "arguments": {…}}</tool_call>` (UMA App. B's template, decisions §5 rule 6).
 *
 * Every opening tag yields at least one call, readable or not, so nothing that was meant as a call vanishes or ends up in
 * the core. Tags inside the strings of a readable call are data. Ids are `idPrefix` plus a running number.
 */
import type { ParsedCall } from "../../tools/call.ts";
import { callId } from "./call-id.ts";
import { jsonExtent } from "./json-extent.ts";
import { type CallReading, excerpt, readCalls, unreadable } from "./read-call.ts";
import { type JsonReading, type MendingBudget, mendingBudget, readJson } from "./read-json.ts";
import { type CallTag, findCallTags } from "./tool-call-markup.ts";

export interface ParsedReply {
  /** What stands outside the tags, in pieces on lines of their own. */
  readonly text: string;
  readonly calls: readonly ParsedCall[];
}

/** For each call the [start, end) of the text that it was read from, tags included; several calls may share one. */
export interface PlacedReply extends ParsedReply {
  readonly places: readonly Place[];
}

export interface Place {
  readonly start: number;
  readonly end: number;
}

export function parseHermes(text: string, options: { readonly idPrefix: string }): ParsedReply {
  const { places: _, ...reply } = parsePlacedHermes(text, options);
  return reply;
}

export function parsePlacedHermes(text: string, options: { readonly idPrefix: string }): PlacedReply {
  const tags = findCallTags(text);
  if (tags.length === 0) return { text: text.trim(), calls: [], places: [] };
  const readings: CallReading[] = [];
  const places: Place[] = [];
  const read = (calls: readonly CallReading[], start: number, end: number) => {
    readings.push(...calls);
    for (const _ of calls) places.push({ start, end });
  };
  const outside: string[] = [];
  const effort: Effort = { budget: mendingBudget(), scans: 4 * text.length };
  let cursor = 0;
  tags.forEach((tag, i) => {
    if (tag.start < cursor) return; // inside a string of a call that was read
    if (tag.opens && tag.plural && tags[i + 1]?.opens && text.slice(tag.end, tags[i + 1]!.start).trim() === "") {
      outside.push(text.slice(cursor, tag.start));
      cursor = tag.end;
    } else if (tag.opens) {
      outside.push(text.slice(cursor, tag.start));
      const body = readBody(text, tags, i, effort);
      read(body.calls, tag.start, body.end);
      cursor = body.end;
    } else {
      const stray = readBeforeStrayClose(text.slice(cursor, tag.start), effort);
      outside.push(stray.text);
      read(stray.calls, cursor + stray.text.length, tag.end);
      cursor = tag.end;
    }
  });
  outside.push(text.slice(cursor));
  return {
    text: joined(outside),
    calls: readings.map((reading, k) => ({ id: callId(options.idPrefix, k), ...reading })),
    places,
  };
}

/** On lines of their own, so that what stood on both sides of a call cannot make a tag together. */
function joined(pieces: readonly string[]): string {
  const text = pieces
    .map((piece) => piece.trim())
    .filter((piece) => piece !== "")
    .join("\n");
  const tail = text.slice(-200);
  return (
    text.slice(0, text.length - tail.length) + tail.replace(/(?:<\/?tool(?:_(?:c(?:al?)?)?)?\s*)+$/i, "").trimEnd()
  );
}

interface Effort {
  readonly budget: MendingBudget;
  /** Characters that may still be looked at beyond the next tag; see `readBody`. */
  scans: number;
}

interface Body {
  readonly calls: readonly CallReading[];
  /** Where reading goes on: after the closing tag, or at the next opening one. */
  readonly end: number;
}

/** The calls after the opening tag `tags[at]`. */
function readBody(text: string, tags: readonly CallTag[], at: number, effort: Effort): Body {
  const calls: CallReading[] = [];
  let next = at + 1;
  let from = tags[at]!.end;
  let values = 0;
  let tidy = text.slice(tags[at]!.start, from) === "<tool_call>";
  for (;;) {
    const boundary = tags[next]?.start ?? text.length;
    // one tag may hold several objects, but not so many that their observations would fill the memory
    const start = values < MOST_VALUES ? firstBracket(text, from, boundary) : -1;
    const between = text.slice(from, start < 0 ? boundary : start).trim();
    if (between !== "") tidy = false;
    if (start < 0) {
      if (values === 0)
        calls.push(unreadable(howTo(between === "" ? "it is empty" : `it holds no JSON object: ${excerpt(between)}`)));
      break;
    }
    const { reading, end } = valueAt(text, start, boundary, effort, next >= tags.length);
    if (reading.ok) {
      const value = nameBefore(between, reading.value);
      calls.push(...readCalls(value, { budget: effort.budget, repaired: reading.repaired }));
    } else {
      calls.push(unreadable(howTo(reading.reason), guessName(text.slice(start, end))));
    }
    values++;
    from = end;
    while (next < tags.length && tags[next]!.start < from) next++;
  }
  const tag = tags[next];
  const closed = tag !== undefined && !tag.opens;
  const asWritten = closed && text.slice(tag.start, tag.end) === "</tool_call>" && tidy && values === 1;
  return {
    calls: asWritten ? calls : calls.map((call) => (call.error === null ? { ...call, repaired: true } : call)),
    end: closed ? tag.end : endOfUnclosed(text, from, tag?.start ?? text.length, calls),
  };
}

const MOST_VALUES = 64;

/** Text after an unclosed but readable call is the reply's; an unreadable call takes everything up to the next tag with it. */
function endOfUnclosed(text: string, from: number, boundary: number, calls: readonly CallReading[]): number {
  if (calls.some((call) => call.error !== null)) return boundary;
  return from + /^[\s}\]),;`]*/.exec(text.slice(from, boundary))![0].length;
}

/**
 * The value at a bracket. It may run past the next tag only when it is valid JSON, so that its strings may hold tags;
 * otherwise the next tag ends it. `scans` bounds what all such looks ahead cost together.
 */
function valueAt(text: string, start: number, boundary: number, effort: Effort, last: boolean) {
  const limit = effort.scans > 0 ? text.length : boundary;
  const extent = jsonExtent(text, start, limit, { stopAtMarkup: limit > boundary });
  effort.scans -= (extent.end ?? boundary) - start;
  let closest: { reading: JsonReading; end: number } | null = null;
  if (extent.end !== null) {
    const reading = readJson(text.slice(start, extent.end), { budget: effort.budget });
    if (reading.ok && (extent.end <= boundary || !reading.repaired)) return { reading, end: extent.end };
    if (extent.end <= boundary) closest = { reading, end: extent.end };
  }
  // misquoted text hides where the value ends, so all of it is tried
  const body = text.slice(start, boundary).replace(/\s*```\s*$/, "");
  const reading = readJson(body, { budget: effort.budget, cutOff: last });
  return reading.ok || !closest ? { reading, end: boundary } : closest;
}

function firstBracket(text: string, from: number, to: number): number {
  for (let i = from; i < to; i++) if (text[i] === "{" || text[i] === "[") return i;
  return -1;
}

/** `memory_add {"title": …}` and `memory_add({...})`: the name stands before the arguments. */
function nameBefore(before: string, value: unknown): unknown {
  const name = /^(?:```[a-z]*\s)?\s*([A-Za-z_][\w.-]{0,63})\s*\(?$/.exec(before)?.[1];
  if (name === undefined || typeof value !== "object" || value === null || Object.hasOwn(value, "name")) return value;
  return { name, arguments: value };
}

/** A closing tag without an opening one ends a call when an object with a name stands before it; otherwise it only goes. */
function readBeforeStrayClose(text: string, effort: Effort): { text: string; calls: readonly CallReading[] } {
  const start = text.search(/\{\s*["']?(?:name|function)["']?\s*:/);
  if (start < 0) return { text, calls: [] };
  const reading = readJson(text.slice(start).replace(/\s*```\s*$/, ""), { budget: effort.budget });
  const calls = reading.ok
    ? readCalls(reading.value, { budget: effort.budget, repaired: true })
    : [unreadable(howTo(reading.reason), guessName(text.slice(start)))];
  return { text: text.slice(0, start), calls };
}

const howTo = (reason: string) =>
  `the call could not be read: ${reason}. Write <tool_call>{"name": "...", "arguments": {...}}</tool_call> with valid JSON`;

/** The tool that an unreadable call was probably meant for, for the record and the observation. */
function guessName(text: string): string {
  return /["']name["']\s*:\s*["']([A-Za-z_][\w.-]{0,63})["']/.exec(text.slice(0, 2_000))?.[1] ?? "";
}
