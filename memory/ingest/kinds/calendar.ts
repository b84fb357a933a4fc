/**
 * iCalendar (RFC 5545): each event, to-do or journal entry becomes one message. A calendar without any is not read as one,
 * so that odd files still come through as plain text.
 */
import { calendarDate, clockTime } from "../dates.ts";
import { decodeText } from "../decode.ts";
import type { Message, ReadContext, Reading } from "../document.ts";
import { withoutEnd } from "../lines.ts";
import { oneLine, renderMessage, shownDate } from "../render.ts";

const components = new Set(["VEVENT", "VTODO", "VJOURNAL"]);

interface Property {
  readonly name: string;
  readonly params: ReadonlyMap<string, string>;
  readonly value: string;
}

export const looksLikeCalendar = (bytes: Uint8Array): boolean =>
  /^(?:\xef\xbb\xbf)?\s*BEGIN:VCALENDAR/i.test(Buffer.from(bytes.subarray(0, 256)).toString("latin1"));

export function readCalendar(bytes: Uint8Array, context: ReadContext): (Reading & { encoding: string }) | null {
  const { text, encoding, notes } = decodeText(unfold(bytes), context);
  const messages: Message[] = [];
  const open: string[] = [];
  let properties: Property[] = [];
  for (const line of text.split("\n")) {
    const property = parseProperty(withoutEnd(line));
    if (property === null) continue;
    const component = property.value.trim().toUpperCase();
    if (property.name === "BEGIN") {
      open.push(component);
      if (components.has(component)) properties = [];
    } else if (property.name === "END") {
      open.pop();
      if (components.has(component)) messages.push(eventMessage(properties));
    } else if (components.has(open[open.length - 1] ?? "")) properties.push(property);
  }
  if (messages.length === 0) return null;
  return { kind: "calendar", sessions: [messages], encoding, notes };
}

/** Long lines are folded by a line end and a blank, which may stand inside a UTF-8 character: joined before decoding. */
function unfold(bytes: Uint8Array): Uint8Array {
  const folded = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
  return Buffer.from(folded.replace(/\r?\n[ \t]/g, ""), "latin1");
}

/** `DTSTART;TZID="(UTC-03:00) X":20170511T133000`: parameters may be quoted and hold colons and semicolons. */
function parseProperty(line: string): Property | null {
  const name = /^[A-Za-z0-9-]{1,100}/.exec(line)?.[0];
  if (name === undefined) return null;
  const params = new Map<string, string>();
  const param = /;([A-Za-z0-9-]{1,100})=((?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)/y;
  param.lastIndex = name.length;
  let end = name.length;
  for (let found = param.exec(line); found !== null; found = param.exec(line)) {
    params.set(found[1]!.toUpperCase(), found[2]!.replaceAll('"', ""));
    end = param.lastIndex;
  }
  return line[end] === ":" ? { name: name.toUpperCase(), params, value: line.slice(end + 1) } : null;
}

function eventMessage(properties: readonly Property[]): Message {
  const first = (name: string) => properties.find((property) => property.name === name);
  const text = (name: string) => unescapeText(first(name)?.value ?? "").trim();
  const start = first("DTSTART") ?? first("DUE");
  const at = start === undefined ? null : dateOf(start.value);
  const end = first("DTEND");
  const until = end === undefined ? null : dateOf(end.value);
  const timeZone = start?.params.get("TZID") ?? (at?.endsWith("Z") ? "UTC" : undefined);
  const attendees = properties.filter(({ name }) => name === "ATTENDEE").map(personOf);
  const details: readonly (readonly [string, string])[] = [
    ["until", until === null ? "" : shownDate(until)],
    ["time zone", oneLine(timeZone ?? "")],
    ["repeats", first("RRULE")?.value ?? ""],
    ["where", text("LOCATION")],
    ["with", attendees.join(", ")],
    ["status", text("STATUS").toLowerCase()],
    ["notes", text("DESCRIPTION")],
  ];
  const lines = [
    text("SUMMARY") || "(no title)",
    ...details.flatMap(([label, value]) => (value === "" ? [] : [`${label}: ${value}`])),
  ];
  const organizer = first("ORGANIZER");
  return renderMessage({
    speaker: organizer === undefined ? null : personOf(organizer),
    at,
    dateText: start?.value ?? null,
    text: lines.join("\n"),
  });
}

const personOf = ({ params, value }: Property): string => oneLine(params.get("CN") || value.replace(/^mailto:/i, ""));

const unescapeText = (value: string): string =>
  value.replace(/\\([nN\\,;])/g, (_, char: string) => (char === "n" || char === "N" ? "\n" : char));

/** `20101010`, `20101010T100000`, `20101010T100000Z`. */
function dateOf(value: string): string | null {
  const found = /^(\d{4})(\d{2})(\d{2})(?:T(\d{2})(\d{2})(\d{2})?(Z)?)?$/.exec(value.trim());
  const date = found ? calendarDate(found[1]!, found[2]!, found[3]!) : null;
  if (!found || date === null || found[4] === undefined) return date;
  const time = clockTime(found[4], found[5]!, found[6]);
  return time === null ? date : `${date}T${time}${found[7] ?? ""}`;
}
