import { describe, expect, it } from "vitest";
import { decodeHeaderWords } from "../../../memory/ingest/mail/header-words.ts";
import { htmlText } from "../../../memory/ingest/mail/html-text.ts";
import { parseHeaderValue, splitParts } from "../../../memory/ingest/mail/mime.ts";
import { linesOf, messagesOf, read, textOf } from "./reading.ts";

const mail = (headers: readonly string[], body: string) =>
  read(Buffer.from(`${headers.join("\r\n")}\r\n\r\n${body}`, "latin1"));
const from = "From: Ann Lee <ann@example.org>";

describe("a mail", () => {
  it("is one message: date, sender, subject, addresses, text", () => {
    const document = mail(
      [from, "To: bob@example.org", "Subject: Hello", "Date: Wed, 3 Jul 2024 08:05:00 +0200"],
      "Line one\r\n\r\nLine two\r\n",
    );
    expect([document.kind, linesOf(document)]).toEqual([
      "mail",
      [
        "[2024-07-03 08:05] Ann Lee: Hello\nFrom: Ann Lee <ann@example.org>\nTo: bob@example.org\nDate: Wed, 3 Jul 2024 08:05:00 +0200\n\nLine one\n\nLine two",
      ],
    ]);
    expect(messagesOf(document)[0]).toMatchObject({ speaker: "Ann Lee", at: "2024-07-03T08:05:00+02:00" });
  });

  it("without subject, date or name still says who wrote", () => {
    expect(linesOf(mail(["From: x@example.org", "Message-ID: <1@example.org>"], "hi"))).toEqual([
      "x@example.org: (no subject)\nFrom: x@example.org\n\nhi",
    ]);
  });

  it("in quoted-printable, base64 or an 8-bit charset is decoded as declared", () => {
    const body = (type: string, encoding: string, text: string) =>
      textOf(
        mail(
          [from, "Subject: x", `Content-Type: text/plain; charset=${type}`, `Content-Transfer-Encoding: ${encoding}`],
          text,
        ),
      );
    expect(body("utf-8", "quoted-printable", "310 =E2=82=AC, soft=\r\n break")).toContain("310 €, soft break");
    expect(body("UTF-8", "base64", "Z3LDvMOf\r\nZQ==")).toContain("grüße");
    expect(body('"windows-1252"', "8bit", "\x93na\xefve\x94")).toContain("“naïve”");
    expect(body("koi8-r", "8bit", "\xf0\xd2\xc9\xd7\xc5\xd4")).toContain("Привет");
    expect(body("iso-2022-jp", "7bit", "\x1b$B$3$s\x1b(B")).toContain("こん");
  });

  it("that declares no charset is UTF-8 or detected; when that is not certain, it is refused with the offset", () => {
    expect(textOf(mail([from, "Subject: x"], "gr\xc3\xbc\xc3\x9fe"))).toContain("grüße");
    const french =
      "L'\xe9t\xe9 dernier, H\xe9l\xe8ne \xe9tait d\xe9j\xe0 pass\xe9e par l\xe0, o\xf9 le gar\xe7on pr\xe9f\xe9rait r\xeaver pr\xe8s de la fen\xeatre plut\xf4t que d'\xe9tudier. Apr\xe8s, tr\xe8s fatigu\xe9e, elle est rentr\xe9e.";
    expect(textOf(mail([from, "Subject: x"], french))).toContain("où le garçon préférait rêver");
    expect(() => mail([from, "Subject: x"], "caf\xe9")).toThrow(
      /declares no charset cannot be decoded: byte 0xE9 at offset 3/,
    );
  });

  it("with a wrong or unknown charset falls back to what the bytes are", () => {
    expect(textOf(mail([from, "Subject: x", "Content-Type: text/plain; charset=us-ascii"], "\xc3\xa9"))).toContain("é");
    expect(textOf(mail([from, "Subject: x", "Content-Type: text/plain; charset=x-unknown"], "\xc3\xa9"))).toContain(
      "é",
    );
    expect(textOf(mail([from, "Subject: \xc3\xa9t\xc3\xa9"], "x"))).toContain("Ann Lee: été");
  });
});

describe("MIME trees", () => {
  const boundary = (name: string) => `Content-Type: multipart/${name}; boundary="=_${name}"`;

  it("plain text wins over HTML, HTML is stripped when alone, attachments are named", () => {
    const body = [
      "preamble",
      "--=_mixed",
      boundary("alternative"),
      "",
      "--=_alternative",
      "Content-Type: text/plain",
      "",
      "plain text",
      "--=_alternative",
      "Content-Type: text/html",
      "",
      "<p>rich</p>",
      "--=_alternative--",
      "--=_mixed",
      "Content-Type: text/html; charset=utf-8",
      "",
      "<style>p{}</style><p>only &lt;html&gt;</p>",
      "--=_mixed",
      'Content-Type: application/pdf; name="=?utf-8?Q?pl=C3=A4n.pdf?="',
      "Content-Disposition: attachment",
      "",
      "JVBERi0=",
      "--=_mixed--",
      "epilogue",
    ].join("\r\n");
    const text = textOf(mail([from, "Subject: x", boundary("mixed")], body));
    expect(text.split("\n\n").slice(1).join("|")).toBe("plain text|only <html>|[attachment: plän.pdf]\n");
  });

  it("a forwarded mail is a message of its own, after the one that carries it", () => {
    const inner = "From: Bob <bob@example.org>\r\nSubject: inner\r\nDate: 1 Feb 2024 10:00:00 +0000\r\n\r\ninner text";
    const body = `--=_mixed\r\n\r\nsee below\r\n--=_mixed\r\nContent-Type: message/rfc822\r\n\r\n${inner}\r\n--=_mixed--\r\n`;
    const document = mail([from, "Subject: Fwd", boundary("mixed")], body);
    expect(messagesOf(document).map(({ speaker }) => speaker)).toEqual(["Ann Lee", "Bob"]);
    expect(linesOf(document)[1]).toMatch(/^\[2024-02-01 10:00\] Bob: inner\n[\s\S]*inner text$/);
  });

  it("a missing boundary, an unclosed part and parts without end are survived", () => {
    expect(textOf(mail([from, "Subject: x", "Content-Type: multipart/mixed"], "just text"))).toContain("just text");
    expect(textOf(mail([from, "Subject: x", boundary("mixed")], "--=_mixed\r\n\r\nopen end"))).toContain("open end");
    let body = "deep";
    for (let depth = 0; depth < 40; depth++)
      body = `--b${depth}\nContent-Type: multipart/mixed; boundary=b${depth - 1}\n\n${body}\n--b${depth}--`;
    expect(textOf(mail([from, "Subject: x", "Content-Type: multipart/mixed; boundary=b39"], body))).toContain(
      "nested too deeply",
    );
  });

  it("parts are cut at whole boundary lines only", () => {
    expect(splitParts("--a\none --a\n--ab\n--a \ntwo\r\n--a--\nrest", "a")).toEqual(["one --a\n--ab", "two"]);
  });

  it("an mbox gives a session per mail", () => {
    const text = `From ann@example.org Sat Jan  1 00:00:00 2022\n${from}\nSubject: one\n\nFrom here on\n\nFrom bob@example.org Sat Jan  1 00:00:00 2022\nFrom: bob@example.org\nSubject: two\n\nb\n`;
    const document = read(text);
    expect([document.kind, document.sessions.length]).toEqual(["mail", 2]);
    expect(linesOf(document)[0]).toContain("From here on");
  });

  it("text that opens with a colon line is no mail", () => {
    expect(read("Subject: groceries\n\nmilk\n").kind).toBe("text");
    expect(read("From: Monday\nuntil Friday\n").kind).toBe("text");
  });
});

describe("header fields", () => {
  it.each([
    ["=?iso-8859-1?Q?Last=DFlName=2C_FirstName?=", "LastßlName, FirstName"],
    ["=?UTF-8?B?dG9ueUBleGFtcGxlLmNvbQ==?= <tony@example.com>", "tony@example.com <tony@example.com>"],
    // one € cut in two words
    ["=?utf-8?Q?=E2=82?= =?utf-8?Q?=AC?=", "€"],
    ["=?utf-8?Q?a?=  =?iso-8859-1?Q?=E9?= b", "aé b"],
    ["=?klingon?Q?a?= x", "=?klingon?Q?a?= x"],
    ["=?utf-8*en?Q?a_b?=", "a b"],
    ["plain = ?text?=", "plain = ?text?="],
  ])("%s → %s", (value, text) => {
    expect(decodeHeaderWords(value)).toBe(text);
  });

  it("parameters may be quoted, split and percent-encoded", () => {
    const value = parseHeaderValue(
      `Text/HTML; charset="utf-8"; name*0="a b"; name*1=".txt"; filename*=utf-8''pl%C3%A4n`,
    );
    expect([value.value, Object.fromEntries(value.params)]).toEqual([
      "text/html",
      { charset: "utf-8", name: "a b.txt", filename: "plän" },
    ]);
  });
});

describe("HTML", () => {
  it("loses tags, scripts and comments; blocks end lines; entities are decoded", () => {
    const html =
      "<html><head><title>t</title></head><body>a&nbsp;&amp;&#233;<br>b<!-- c --><script>if (a < b) x()</script><p>1 < 2 &unknown;</p></body></html>";
    expect(htmlText(html)).toBe("a &é\nb\n1 < 2 &unknown;");
  });

  it("that never closes a tag keeps its text", () => {
    expect(htmlText("a <b")).toBe("a <b");
    expect(htmlText("<script>x")).toBe("x");
  });
});
