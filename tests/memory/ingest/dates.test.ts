import { describe, expect, it } from "vitest";
import { resolveDateOrder } from "../../../memory/ingest/date-order.ts";
import { calendarDate, clockTime, instantOf, unixTime, writtenDate, zone } from "../../../memory/ingest/dates.ts";

const numeric = (...texts: string[]) =>
  texts.map((text) => {
    const [first, second, third] = text.split("/") as [string, string, string];
    return { first, second, third };
  });

describe("calendar", () => {
  it("knows which days exist", () => {
    expect(calendarDate("2024", "2", "29")).toBe("2024-02-29");
    expect(calendarDate("2023", "2", "29")).toBeNull();
    expect(calendarDate("2023", "13", "1")).toBeNull();
    expect(calendarDate("2023", "0", "1")).toBeNull();
  });

  it("puts two-digit years into 1970–2069", () => {
    expect([calendarDate("69", "1", "1"), calendarDate("70", "1", "1")]).toEqual(["2069-01-01", "1970-01-01"]);
  });

  it("reads the 12-hour clock", () => {
    expect(clockTime("12", "05", undefined, "A")).toBe("00:05");
    expect(clockTime("12", "05", undefined, "p")).toBe("12:05");
    expect(clockTime("3", "55", "09", "P")).toBe("15:55:09");
    // some exports write 00:08 a. m.
    expect(clockTime("00", "08", undefined, "a")).toBe("00:08");
    expect(clockTime("24", "00")).toBeNull();
  });
});

describe("the order of day and month is decided by the whole file", () => {
  it("one impossible month decides", () => {
    expect(resolveDateOrder(numeric("01/02/19", "20/01/19"))).toEqual({ order: "day-first", note: null });
    expect(resolveDateOrder(numeric("01/02/19", "01/20/19"))).toEqual({ order: "month-first", note: null });
    expect(resolveDateOrder(numeric("2019/01/02"))).toEqual({ order: "year-first", note: null });
    expect(resolveDateOrder(numeric("45/01/02"))).toEqual({ order: "year-first", note: null });
  });

  it("dates that read the same both ways need no note", () => {
    expect(resolveDateOrder(numeric("02/02/2020", "03/03/2020")).note).toBeNull();
    expect(resolveDateOrder([])).toEqual({ order: "day-first", note: null });
  });

  it("then the order in which time runs forwards, with a note", () => {
    const { order, note } = resolveDateOrder(numeric("01/02/2023", "02/01/2023"));
    expect(order).toBe("month-first");
    expect(note).toContain("run forwards in time");
  });

  it("a two-digit year in front is found by the order of the dates, unless they simply run backwards", () => {
    expect(resolveDateOrder(numeric("19/12/30", "19/12/31", "20/01/01")).order).toBe("year-first");
    expect(resolveDateOrder(numeric("01/04/24", "31/03/24", "30/03/24")).order).toBe("day-first");
  });

  it("then the default, with a note that names a date", () => {
    const { order, note } = resolveDateOrder(numeric("01/02/2023", "03/04/2023"));
    expect([order, note]).toEqual([
      "day-first",
      expect.stringContaining("01/02/2023 could be day first or month first"),
    ]);
    expect(resolveDateOrder(numeric("01/02/2023"), "month-first").order).toBe("month-first");
  });

  it("a stray date, e.g. pasted into a message, does not outvote the others", () => {
    expect(resolveDateOrder(numeric("13/01/23", "14/01/23", "01/30/23")).order).toBe("day-first");
  });
});

describe("written dates", () => {
  it.each([
    ["2023-05-08", "2023-05-08"],
    ["2024-05-01T10:00:00.123Z", "2024-05-01T10:00:00.123Z"],
    ["2023-01-01T10:00:00+0200", "2023-01-01T10:00:00+02:00"],
    ["2023/05/20 (Sat) 02:21", "2023-05-20T02:21"],
    ["1:56 pm on 8 May, 2023", "2023-05-08T13:56"],
    ["May 8, 2023", "2023-05-08"],
    ["8th of never", null],
    ["2023-02-30", null],
    ["2023-02-03 25:00", null],
    ["Mary 12, 2020", null],
    ["01/02/2023", null],
    ["yesterday", null],
  ])("%s → %s", (text, at) => {
    expect(writtenDate(text)).toBe(at);
  });

  it("Unix time is told apart by its size; small and far numbers are no time", () => {
    const at = "2018-12-05T10:39:10Z";
    expect(["1544006350", 1544006350, 1544006350000, "1544006350000000", "1544006350.000002"].map(unixTime)).toEqual(
      Array(5).fill(at),
    );
    expect([unixTime(12), unixTime("2019"), unixTime(Number.NaN), unixTime(9e18), unixTime("12 May")]).toEqual(
      Array(5).fill(null),
    );
  });

  it("zones are kept as offsets, unknown names are dropped", () => {
    expect(["Z", "GMT", "+0530", "-08:00", "CEST", undefined].map(zone)).toEqual([
      "Z",
      "Z",
      "+05:30",
      "-08:00",
      "",
      "",
    ]);
  });

  it("instants compare across zones", () => {
    expect(instantOf("2023-01-01T10:00:00+02:00")).toBe(instantOf("2023-01-01T08:00"));
    expect(instantOf("2023-01-01")).toBe(instantOf("2023-01-01T00:00Z"));
  });
});
