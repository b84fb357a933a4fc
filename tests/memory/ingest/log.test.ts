import { describe, expect, it } from "vitest";
import { messagesOf, read, textOf } from "./reading.ts";

describe("logs stay verbatim, a message per entry", () => {
  it.each([
    ["ISO 8601 with a comma", "2012-07-02 10:22:40,672:DEBUG:x", "2012-07-02T10:22:40.672"],
    ["an offset", "2022-08-27T17:22:01.694554+03:00 host CRON", "2022-08-27T17:22:01.694554+03:00"],
    ["an unknown zone", "2015-04-24T21:08:10.313913FOO err rbd", "2015-04-24T21:08:10.313913"],
    ["nanoseconds", "2025-01-01 00:00:00.123456789:INFO:n", "2025-01-01T00:00:00.123456789"],
    ["a day of the year", "2012-025T10:22:40,672:DEBUG:x", "2012-01-25T10:22:40.672"],
    ["a web server", '127.0.0.1 - - [10/Oct/2000:13:55:36 -0700] "GET /"', "2000-10-10T13:55:36-07:00"],
    ["ctime", "[Wed Oct 11 14:32:52 2000] [error] denied", "2000-10-11T14:32:52"],
    ["milliseconds", "1428634687123 Hello", "2015-04-10T02:58:07Z"],
    ["a dated diary", "[2023-05-01] Went to the market.", "2023-05-01"],
    ["syslog, which has no year", "Nov  3 01:01:03 host syslogd[6]: x", null],
    ["French syslog", "août 19 11:08:37 host x[1]: y", null],
    ["TAI64N", "@40000000433225833b6e1a8c tcpserver: status", null],
    ["an ambiguous order", "01/02/2023 10:00:00 started", null],
    ["a day that does not exist", "2023-02-30 10:00:00 x", null],
  ])("%s", (_, line, at) => {
    const document = read(`${line}\r\n`);
    expect([document.kind, messagesOf(document)]).toEqual(["log", [{ text: `${line}\r\n`, speaker: null, at }]]);
  });

  it("lines without a stamp belong to the entry before them", () => {
    const text = "2009-07-20 22:59:27 Hello\n  how are you?\n\n2009-07-20 22:59:30 Bye";
    expect(messagesOf(read(text)).map((message) => message.text)).toEqual([
      "2009-07-20 22:59:27 Hello\n  how are you?\n\n",
      "2009-07-20 22:59:30 Bye",
    ]);
  });

  it("dated entries fall into sessions by day", () => {
    const text = "2024-01-01 10:00:00 a\n2024-01-01 11:00:00 b\n2024-01-02 10:00:00 c\n";
    const document = read(text);
    expect(document.sessions.map((session) => session.length)).toEqual([2, 1]);
    expect(textOf(document)).toBe(text);
  });

  it("a log whose levels stand where a chat has names is a log", () => {
    expect(read("[2019-01-01 12:00:00] local.ERROR: boom\n[2019-01-01 12:00:01] local.INFO: ok\n").kind).toBe("log");
    expect(read("2019-01-01 11:25:30,123 - root - INFO - started\n").kind).toBe("log");
  });

  it("a file named .log is a line per message even without stamps", () => {
    expect(messagesOf(read("up\ndown\n", { name: "app.log" })).map(({ text }) => text)).toEqual(["up\n", "down\n"]);
  });

  it("text that merely mentions a date is text", () => {
    expect(read("2019-01-01 was a Tuesday.\nIt rained.\n").kind).toBe("text");
    expect(read("2019-01-01 10:00:00 it began.\nIt rained.\nIt poured.\n").kind).toBe("text");
  });
});
