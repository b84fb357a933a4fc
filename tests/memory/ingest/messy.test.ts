import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readInput } from "../../../memory/ingest/read-input.ts";
import { encode } from "./encode.ts";
import { messagesOf, textOf } from "./reading.ts";

/** Untouched files of other projects' test suites; they may not all be bundled, so they are read where they lie. */
const messy = join(import.meta.dirname, "../../../../shared/data/messy");
const present = existsSync(messy);

/** kind, sessions, messages, first date, speakers in order of appearance (null: nobody). */
type Row = readonly [string, number, number, string | null, readonly (string | null)[]];
const nobody = [null];
const whatsapp: Row = [
  "chat",
  9,
  9,
  "2019-01-01T11:25",
  ["John Doe", "Jahn Doe", "John-John Doe", null, "John Doe 🤓", "🤓"],
];

const expected: Readonly<Record<string, Row | string>> = {
  "calendar/bom_calendar.ics": ["text", 1, 1, null, nobody],
  "calendar/calendar_with_unicode.ics": ["text", 1, 1, null, nobody],
  "calendar/created_calendar_with_unicode_fields.ics": ["calendar", 1, 3, "2010-10-10T10:00:00Z", nobody],
  "calendar/fuzz_testcase_0_char_in_component_name.ics": ["text", 1, 1, null, nobody],
  "calendar/fuzz_testcase_vtimezone_lone_cr.ics": ["text", 1, 1, null, nobody],
  "calendar/issue_237_fail_to_parse_timezone_with_non_ascii_tzid.ics": [
    "calendar",
    1,
    1,
    "2017-05-11T13:30:00",
    nobody,
  ],
  "calendar/multiple_timezones.ics": ["calendar", 1, 3, "2021-03-02T00:00:00", nobody],
  "chat/instagram__test_export.json": ["messages", 2, 2, "2019-12-24T11:23:00Z", ["Jane Doe", "John Doe"]],
  "chat/signal__test_export.txt": ["chat", 2, 2, "2019-12-24T12:23", ["Jane Doe", "John Doe"]],
  "chat/slack__enrique__2016-01-14.json": [
    "messages",
    1,
    6,
    "2016-01-15T05:55:18Z",
    ["U0BMQB6JE", "U0BMYT2FL", "U0BMS113R", "U0BMM2FEH"],
  ],
  "chat/slack__enrique__2016-01-16.json": ["messages", 1, 2, "2016-01-16T23:48:41Z", ["U0BMQB6JE"]],
  "chat/slack__traveling-sailor__2016-01-16.json": [
    "messages",
    1,
    5,
    "2016-01-17T00:00:21Z",
    ["U0BMQB6JE", "U0BMYT2FL", "U0BMM2FEH", "U0BMS113R"],
  ],
  "chat/slack__traveling-sailor__2016-03-29.json": ["messages", 1, 1, "2016-03-29T12:33:06Z", ["B0JL6UFSL"]],
  "chat/telegram__test_batch_export.json": ["messages", 1, 3, "2018-12-05T10:39:10Z", [null, "Author 1", "Author 2"]],
  "chat/whatsapp__test_[mmddyy]_24hrs.txt": whatsapp,
  "chat/whatsapp__test_ddmmyy_24hrs.txt": whatsapp,
  "chat/whatsapp__test_mmddyy_24hrs.txt": whatsapp,
  "chat/whatsapp__test_mmddyyyy_12hrs.txt": whatsapp,
  "chat/whatsapp__test_yyyymmdd_24hrs.txt": whatsapp,
  "encodings/blns.txt": ["text", 1, 85, null, nobody],
  "encodings/sample-arabic-1.txt": ["text", 1, 3, null, nobody],
  "encodings/sample-arabic.txt": ["text", 1, 3, null, nobody],
  "encodings/sample-bulgarian.txt": ["text", 1, 1, null, nobody],
  "encodings/sample-chinese.txt": ["text", 1, 7, null, nobody],
  "encodings/sample-english.bom.txt": ["text", 1, 7, null, nobody],
  "encodings/sample-french-1.txt": ["text", 1, 8, null, nobody],
  "encodings/sample-french.txt": ["text", 1, 8, null, nobody],
  "encodings/sample-greek.txt": ["text", 1, 1, null, nobody],
  "encodings/sample-hebrew-2.txt": ["text", 1, 1, null, nobody],
  "encodings/sample-korean.txt": ["text", 1, 1, null, nobody],
  "encodings/sample-polish.txt": ["text", 1, 3, null, nobody],
  "encodings/sample-russian-3.txt": ["text", 1, 4, null, nobody],
  "encodings/sample-russian.txt": ["text", 1, 3, null, nobody],
  "encodings/sample-spanish.txt": ["text", 1, 14, null, nobody],
  "encodings/sample-turkish.txt": ["text", 1, 4, null, nobody],
  "logs/logfile_crlf.0": ["log", 2, 2, "2012-07-02T10:22:40.672", nobody],
  "logs/logfile_dst.0": ["log", 1, 10, null, nobody],
  "logs/logfile_empty.0": ["text", 0, 0, null, []],
  "logs/logfile_epoch.0": ["log", 1, 2, "2015-04-10T02:58:07Z", nobody],
  "logs/logfile_generic_nanos.0": ["log", 1, 2, "2025-01-01T00:00:00.123456789", nobody],
  "logs/logfile_invalid_tz.0": ["log", 1, 2, "2015-04-24T21:08:10.313913", nobody],
  "logs/logfile_invalid_utf8.0": "byte 0xED at offset 89 is not UTF-8",
  "logs/logfile_multiline.0": ["log", 1, 2, "2009-07-20T22:59:27.672", nobody],
  "logs/logfile_syslog_fr.0": ["log", 1, 1, null, nobody],
  "logs/logfile_syslog_with_mixed_times.0": ["log", 1, 13, null, nobody],
  "logs/logfile_tai64n.0": ["log", 1, 10, null, nobody],
  "logs/logfile_with_zones.0": ["log", 1, 3, "2022-08-27T14:22:01.613Z", nobody],
  "logs/logfile_yday.0": ["log", 2, 2, "2012-01-25T10:22:40.672", nobody],
  "logs/textfile_ansi.0": ["text", 1, 1, null, nobody],
  "logs/textfile_ansi_expanding.0": ["text", 1, 1, null, nobody],
  "logs/textfile_cjk.0": ["text", 1, 2, null, nobody],
  "logs/textfile_ctrl.0": ["text", 1, 1, null, nobody],
  "logs/textfile_invalid_utf8.0": "byte 0xED at offset 40 is not UTF-8",
  "logs/textfile_json_long.0": ["json", 1, 2, null, nobody],
  "logs/textfile_nonl.txt": ["text", 1, 1, null, nobody],
  "mail/decoderended.eml": ["mail", 1, 1, "2004-09-09T03:15:52-05:00", ["wwuaof"]],
  "mail/mail_test_16.eml": ["mail", 1, 1, "2003-07-23T23:30:00+02:00", ["Sender"]],
  "mail/mail_test_18.eml": ["mail", 1, 1, "2025-11-03T18:23:00+01:00", ["LastßlName, FirstName"]],
  "mail/mail_test_19.eml": ["mail", 1, 1, "2024-01-01T12:00:00+00:00", ["alice@example.com"]],
  "mail/nested.eml": ["mail", 1, 1, null, ["u@example.com"]],
};

/** Encoding, and words that only a right reading has. */
const legacy: Readonly<Record<string, readonly [string, string]>> = {
  "sample-arabic-1.txt": ["windows-1256", "المنطقة المغاربية بشكل عام"],
  "sample-chinese.txt": ["big5", "維基大典（Wikipedia）者"],
  "sample-french-1.txt": ["windows-1252", "MOLIÈRE"],
  "sample-greek.txt": ["windows-1253", "μητρική γλώσσα"],
  "sample-hebrew-2.txt": ["windows-1255", "בפי דוברים ילידיים"],
  "sample-korean.txt": ["euc-kr", "역사적 예수 연구자들은"],
  "sample-russian.txt": ["x-mac-cyrillic", "В гимназии он не был в числе первых учеников (исключение составляли"],
  "sample-turkish.txt": ["windows-1254", "İstanbul, Türkiye'nin en kalabalık"],
};

const verbatim = new Set(["text", "markdown", "log"]);

describe.skipIf(!present)("every messy file (needs ../shared/data/messy)", async () => {
  const result = present ? await readInput([messy]) : { documents: [], refused: [] };
  const byName = new Map(result.documents.map((document) => [document.name, document]));
  const reasons = new Map(result.refused.map(({ name, reason }) => [name, reason]));

  it("is in the table, and nothing else is", () => {
    const folders = ["calendar", "chat", "encodings", "logs", "mail"];
    const files = folders.flatMap((folder) => readdirSync(join(messy, folder)).map((name) => `${folder}/${name}`));
    expect(files.sort()).toEqual(Object.keys(expected).sort());
  });

  it.each(Object.entries(expected))("%s", (name, row) => {
    if (typeof row === "string") {
      expect(reasons.get(name)).toMatch(new RegExp(`^${row}.*--lossy$`));
      return;
    }
    const document = byName.get(name)!;
    const messages = messagesOf(document);
    const firstDate = messages.find(({ at }) => at !== null)?.at ?? null;
    const speakers = [...new Set(messages.map(({ speaker }) => speaker))];
    expect([document.kind, document.sessions.length, messages.length, firstDate, speakers]).toEqual(row);
  });

  it("text, Markdown and logs account for every byte", () => {
    let checked = 0;
    for (const document of result.documents) {
      if (!verbatim.has(document.kind)) continue;
      const input = readFileSync(join(messy, document.name));
      const mark = document.notes.includes("the byte order mark was taken off") ? "\ufeff" : "";
      const text = `${mark}${textOf(document)}`;
      const back = document.encoding === "utf-8" ? Buffer.from(text) : encode(text, document.encoding);
      expect(Buffer.compare(Buffer.from(back), input), document.name).toBe(0);
      checked++;
    }
    expect(checked).toBeGreaterThan(30);
  });

  it.each(Object.entries(legacy))("%s is read in its charset", (name, [encoding, words]) => {
    const document = byName.get(`encodings/${name}`)!;
    expect(document.encoding).toBe(encoding);
    expect(textOf(document)).toContain(words);
  });

  it("the invalid UTF-8 files are read with lossy, which says what it replaced", async () => {
    for (const name of ["logs/logfile_invalid_utf8.0", "logs/textfile_invalid_utf8.0"]) {
      const { documents } = await readInput([join(messy, name)], { lossy: true });
      expect(documents[0]!.notes).toEqual(["3 undecodable byte sequence(s) became U+FFFD"]);
      expect(textOf(documents[0]!)).toContain("<node>???????????\ufffd\ufffd\ufffd??</node>\r\n");
    }
  });

  it("what people wrote is there", () => {
    const text = (name: string) => textOf(byName.get(name)!);
    const chat = text("chat/whatsapp__test_mmddyyyy_12hrs.txt");
    expect(chat).toContain(
      "[2019-01-20 11:23] John Doe: .\n[2019-01-30 20:49] Jahn Doe: Lorem ipsum dolor sit amet,\nconsectetur",
    );
    expect(chat).toContain('[2020-06-20 00:08] +12 345 578 created group "Groupname"\n');
    expect(text("chat/telegram__test_batch_export.json")).toContain(
      "[2018-12-05 10:49] Author 2: Link:https://telegram.org/\n",
    );
    expect(text("mail/nested.eml")).toBe(
      "u@example.com: (no subject)\nFrom: u@example.com\n\nDear Sir,\n\nGood evening.\n\nThe footer\n",
    );
    expect(text("mail/mail_test_18.eml")).toContain(
      'Cc: simple@example.net, John "Johnny" Doe <john.doe@example.com>\n',
    );
    expect(text("calendar/created_calendar_with_unicode_fields.ics")).toContain(
      "[2010-10-10 10:00] Non-ASCII Test: ÄÖÜ äöü €\n",
    );
    expect(text("logs/textfile_ctrl.0")).toContain("\u0001\u0002\u0003");
  });
});
