import { describe, expect, it } from "vitest";
import { linesOf, messagesOf, read } from "./reading.ts";

const calendar = (...lines: string[]) => read(["BEGIN:VCALENDAR", ...lines, "END:VCALENDAR", ""].join("\r\n"));
const event = (...lines: string[]) => calendar("BEGIN:VEVENT", ...lines, "END:VEVENT");

describe("calendars", () => {
  it("give a message per event, with what is known about it", () => {
    const document = event(
      "SUMMARY:Plumber\\, again",
      'DTSTART;TZID="(UTC-03:00) Bras\u00edlia":20240517T083000',
      "DTEND;TZID=Europe/Berlin:20240517T093000",
      'ORGANIZER;CN="Nora; K":mailto:nora@example.org',
      "ATTENDEE:mailto:idris@example.org",
      "LOCATION:Kitchen\\; ground",
      "  floor",
      "DESCRIPTION:bring\\nkeys",
    );
    expect([document.kind, linesOf(document)]).toEqual([
      "calendar",
      [
        "[2024-05-17 08:30] Nora; K: Plumber, again\nuntil: 2024-05-17 09:30\ntime zone: (UTC-03:00) Brasília\nwhere: Kitchen; ground floor\nwith: idris@example.org\nnotes: bring\nkeys",
      ],
    ]);
  });

  it("keep events without a date or a title, days without a time, and to-dos", () => {
    const document = calendar(
      ...["BEGIN:VEVENT", "DESCRIPTION:x", "END:VEVENT"],
      ...["BEGIN:VEVENT", "SUMMARY:Day", "DTSTART;VALUE=DATE:20240229", "END:VEVENT"],
      ...[
        "BEGIN:VTODO",
        "SUMMARY:Pay",
        "DUE:20240301T120000Z",
        "BEGIN:VALARM",
        "DESCRIPTION:ring",
        "END:VALARM",
        "END:VTODO",
      ],
    );
    expect(linesOf(document)).toEqual([
      "(no title)\nnotes: x",
      "[2024-02-29] Day",
      "[2024-03-01 12:00] Pay\ntime zone: UTC",
    ]);
    expect(messagesOf(document).map(({ at }) => at)).toEqual([null, "2024-02-29", "2024-03-01T12:00:00Z"]);
  });

  it("are unfolded before they are decoded, since a fold may cut a character", () => {
    const [head, tail] = [
      Buffer.from("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nSUMMARY:Caf"),
      Buffer.from("\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"),
    ];
    const folded = Buffer.concat([head, Buffer.from([0xc3]), Buffer.from("\r\n "), Buffer.from([0xa9]), tail]);
    expect(linesOf(read(folded))).toEqual(["Café"]);
  });

  it("without any event, odd or cut, come through as plain text, byte for byte", () => {
    for (const text of [
      "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n",
      "BeGIN:\u0000\n",
      "BEGIN:VTIMEZONE\nTZID:S\f\r\f\u000b\nEND:VTIMEZONE\n",
    ]) {
      const document = read(text);
      expect([
        document.kind,
        messagesOf(document)
          .map((message) => message.text)
          .join(""),
      ]).toEqual(["text", text]);
    }
  });

  it("asked for as a calendar, a file without events is refused", () => {
    expect(() => read("BEGIN:VCALENDAR\nEND:VCALENDAR\n", { kind: "calendar" })).toThrow(
      /not readable as calendar: it holds no event/,
    );
  });
});
