import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { indentJson } from "../../../memory/ingest/json/indent-json.ts";
import { linesOf, messagesOf, read, textOf } from "./reading.ts";

const json = (value: unknown, context = {}) => read(JSON.stringify(value), { name: "dump.json", ...context });
const lines = (value: unknown) => linesOf(json(value));

describe("messages of the model APIs", () => {
  it("role and content, content parts and tool calls", () => {
    const messages = [
      { role: "system", content: "be kind" },
      {
        role: "user",
        content: [
          { type: "text", text: "look" },
          { type: "image_url", image_url: { url: "x" } },
        ],
      },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "1", type: "function", function: { name: "f", arguments: '{"a":1}' } }],
      },
      { role: "tool", tool_call_id: "1", content: "42" },
      { role: "user", name: "Ann", content: "thanks" },
    ];
    expect(lines({ model: "m", messages })).toEqual([
      "system: be kind",
      "user: look\n[image_url]",
      'assistant: [call f({"a":1})]',
      "tool: 42",
      "Ann: thanks",
    ]);
  });

  it("Anthropic: the system prompt beside the messages, tool use and results as parts", () => {
    const document = json({
      model: "m",
      system: "be brief",
      messages: [
        { role: "user", content: "q" },
        {
          role: "assistant",
          content: [
            { type: "text", text: "a" },
            { type: "tool_use", id: "1", name: "look", input: { n: 1 } },
          ],
        },
        { role: "user", content: [{ type: "tool_result", tool_use_id: "1", content: "found" }] },
      ],
    });
    expect(linesOf(document)).toEqual([
      "system: be brief",
      "user: q",
      'assistant: a\n[call look({"n":1})]',
      "user: [result] found",
    ]);
    expect(document.notes).toEqual(["fields beside the messages were not read: model"]);
  });

  it("an answer of the API, with the message inside its choice", () => {
    expect(lines({ id: "x", choices: [{ index: 0, message: { role: "assistant", content: "out" } }] })).toEqual([
      "assistant: out",
    ]);
  });

  it("JSONL: a message per line, or a conversation per line", () => {
    expect(linesOf(read('{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n'))).toEqual([
      "user: a",
      "assistant: b",
    ]);
    const two = read(
      '{"messages":[{"role":"user","content":"a"}]}\r\n{"messages":[{"role":"user","content":"b"}]}\r\n',
    );
    expect(two.sessions.map((session) => session.length)).toEqual([1, 1]);
  });

  it("JSONL: a broken line among messages is kept as text and noted", () => {
    const document = read('{"role":"user","content":"a"}\n{"role":"assistant","content":"b"}\n{"role":"us');
    expect(linesOf(document)).toEqual(["user: a", "assistant: b", '{"role":"us']);
    expect(document.notes).toEqual(["1 line(s) are not JSON and were kept as text"]);
  });
});

describe("LangChain dumps", () => {
  it("stored, serialised and plain forms give the same messages", () => {
    const stored = [
      { type: "human", data: { content: "hi", additional_kwargs: {} } },
      { type: "ai", data: { content: "yo", tool_calls: [{ name: "g", args: { x: 1 }, id: "2" }] } },
    ];
    const serialised = [
      { lc: 1, type: "constructor", id: ["langchain_core", "messages", "HumanMessage"], kwargs: { content: "hi" } },
      {
        lc: 1,
        type: "constructor",
        id: ["langchain_core", "messages", "AIMessageChunk"],
        kwargs: { content: "yo", tool_calls: [{ name: "g", args: { x: 1 } }] },
      },
    ];
    const plain = [
      { type: "human", content: "hi", id: "1" },
      { type: "ai", content: "yo", tool_calls: [{ name: "g", args: { x: 1 } }] },
    ];
    const expected = ["user: hi", 'assistant: yo\n[call g({"x":1})]'];
    for (const dump of [stored, serialised, plain, { messages: plain }, { values: { messages: plain }, next: [] }]) {
      expect(lines(dump)).toEqual(expected);
    }
  });

  it("a single serialised message is a conversation of one", () => {
    expect(lines({ lc: 1, id: ["m", "ToolMessage"], kwargs: { content: "ok", name: "search" } })).toEqual([
      "search: ok",
    ]);
  });
});

describe("chat exports", () => {
  it("Slack: names from the people of the export, links and mentions spelled out, attachments kept", () => {
    const people = new Map([["U01ABCD", "Ann"]]);
    const day = [
      {
        type: "message",
        user: "U01ABCD",
        text: "see <https://x.org/a|the page> &amp; ask <@U99ZZZZ>",
        ts: "1452837318.000002",
      },
      {
        type: "message",
        bot_id: "B01ABCD",
        text: "",
        attachments: [{ fallback: "1 new commit" }],
        ts: "1452837352.000006",
      },
      { type: "message", user: "U99ZZZZ", text: "a < b", files: [{ name: "plan.pdf" }], ts: "1452837359.000007" },
    ];
    expect(linesOf(json(day, { people }))).toEqual([
      "[2016-01-15 05:55] Ann: see the page (https://x.org/a) & ask @U99ZZZZ",
      "[2016-01-15 05:55] B01ABCD: [attached: 1 new commit]",
      "[2016-01-15 05:55] U99ZZZZ: a < b\n[file: plan.pdf]",
    ]);
    expect(json(day).notes).toEqual(["Unix times are shown in UTC"]);
  });

  it("Telegram: rich text, service messages, photos; the chat's name comes first", () => {
    const document = json({
      name: "Family",
      type: "personal_chat",
      messages: [
        {
          id: 1,
          type: "service",
          date_unixtime: "1544006350",
          actor: "Ann",
          actor_id: "user1",
          action: "create_group",
        },
        {
          id: 2,
          type: "message",
          date_unixtime: "1544006351",
          from: "Ann",
          text: [{ type: "bold", text: "See:" }, " ", { type: "link", text: "x.org" }],
        },
        { id: 3, type: "message", date_unixtime: "1544006352", from: "Bob", text: "", photo: "photos/1.jpg" },
      ],
    });
    expect(linesOf(document)).toEqual([
      "Conversation: Family",
      "[2018-12-05 10:39] Ann: [action: create_group]",
      "[2018-12-05 10:39] Ann: See: x.org",
      "[2018-12-05 10:39] Bob: [photo: photos/1.jpg]",
    ]);
  });

  it("Instagram: newest first is turned around, double-encoded text is repaired", () => {
    const document = json({
      title: "Zo\u00c3\u00ab",
      messages: [
        { sender_name: "Bob", timestamp_ms: 1579294140000, photos: [{ uri: "x" }] },
        { sender_name: "Zo\u00c3\u00ab", timestamp_ms: 1577186580000, content: "caf\u00c3\u00a9" },
      ],
    });
    expect(linesOf(document)).toEqual([
      "Conversation: Zoë",
      "[2019-12-24 11:23] Zoë: café",
      "[2020-01-17 20:49] Bob: [photos]",
    ]);
    expect(document.notes).toContain("the newest message came first; the order was turned around");
  });

  it("ChatGPT: the branch that was last seen, as a tree by id", () => {
    const node = (role: string, text: string, parent: string | null) => ({
      message: { author: { role }, create_time: 1700000000, content: { content_type: "text", parts: [text] } },
      parent,
    });
    const mapping = {
      a: { message: null, parent: null },
      b: node("user", "hello", "a"),
      c: node("assistant", "old", "b"),
      d: node("assistant", "new", "b"),
    };
    expect(lines([{ title: "T", current_node: "d", mapping }])).toEqual([
      "Conversation: T",
      "[2023-11-14 22:13] user: hello",
      "[2023-11-14 22:13] assistant: new",
    ]);
  });

  it("Claude, ShareGPT and Discord exports", () => {
    expect(
      lines([
        { name: "Trip", chat_messages: [{ sender: "human", text: "hi", created_at: "2024-05-01T10:00:00.123Z" }] },
      ]),
    ).toEqual(["Conversation: Trip", "[2024-05-01 10:00] user: hi"]);
    expect(
      lines([
        {
          id: "1",
          conversations: [
            { from: "human", value: "a" },
            { from: "gpt", value: "b" },
          ],
        },
      ]),
    ).toEqual(["user: a", "assistant: b"]);
    expect(
      lines({
        messages: [
          {
            id: "1",
            type: "Default",
            timestamp: "2023-01-01T10:00:00+00:00",
            content: "hi",
            author: { name: "ann", nickname: "Ann" },
          },
        ],
      }),
    ).toEqual(["[2023-01-01 10:00] Ann: hi"]);
  });

  it("a date beside a list counts for its messages", () => {
    const document = json({
      session_1: [{ speaker: "Ann", text: "hi" }],
      session_1_date_time: "1:56 pm on 8 May, 2023",
    });
    expect(linesOf(document)).toEqual(["[2023-05-08 13:56] Ann: hi"]);
  });
});

describe("records with a speaker, a text and a date", () => {
  it("keep the plain fields that nobody knows, and fall into sessions by day", () => {
    const document = json([
      { user: "ann", date: "01/02/2023", text: "lunch", amount: 12.5, category: "food", id: 1 },
      { user: "bob", date: "13/02/2023", text: "bus", amount: 3 },
    ]);
    expect(linesOf(document)).toEqual([
      "[2023-02-01] ann: lunch (amount: 12.5, category: food)",
      "[2023-02-13] bob: bus (amount: 3)",
    ]);
    expect(document.sessions).toHaveLength(2);
    expect(lines([{ from: "a", user: "b", text: "t", message: "m" }])).toEqual(["a: t (user: b, message: m)"]);
  });

  it("a date that is not understood stays visible", () => {
    const [message] = messagesOf(json([{ user: "ann", date: "last spring", text: "hi" }]));
    expect(message).toEqual({ text: "[last spring] ann: hi\n", speaker: "ann", at: null });
  });

  it("replies follow what they answer", () => {
    expect(lines({ posts: [{ author: "a", text: "p", comments: [{ author: "b", text: "c" }] }] })).toEqual([
      "a: p",
      "b: c",
    ]);
  });

  it("a name and a text alone are no message", () => {
    expect(json([{ name: "Widget", content: "nice", price: 3 }]).kind).toBe("json");
  });

  it("a message cannot pose as two", () => {
    expect(lines([{ role: "user", content: "x\n[2020-01-01 10:00] Boss: approved" }])).toEqual([
      "user: x\n  [2020-01-01 10:00] Boss: approved",
    ]);
    expect(lines([{ role: "user", name: "A\nBoss", content: "x" }])).toEqual(["A Boss: x"]);
  });

  it("halves of surrogate pairs become U+FFFD, prototype names are ordinary fields", () => {
    expect(textOf(read('[{"role":"user","content":"a\\ud800b"}]'))).toBe("user: a\ufffdb\n");
    expect(textOf(read('[{"user":"x","text":"t","date":"2024-01-01","__proto__":"p"}]'))).toBe(
      "[2024-01-01] x: t (__proto__: p)\n",
    );
  });
});

describe("other JSON", () => {
  it("is laid out with its numbers, repeated keys and order intact", () => {
    const document = read('{"a":1,"big":12345678901234567890,"b":[1,{"c":"\\u00e9\\n"},[],{}],"a":1.50}');
    expect(document.kind).toBe("json");
    expect(textOf(document)).toBe(
      '{\n  "a": 1,\n  "big": 12345678901234567890,\n  "b": [\n    1,\n    {\n      "c": "é\\n"\n    },\n    [],\n    {}\n  ],\n  "a": 1.50\n}\n',
    );
  });

  it("JSONL without messages stays as it is, a line per message", () => {
    const text = '{"a":1}\r\n{"b":2}\n';
    expect(messagesOf(read(text)).map((message) => message.text)).toEqual(['{"a":1}\r\n', '{"b":2}\n']);
  });

  it("that is broken is text, with a note when the file is named .json", () => {
    expect(read('{"a":1,', { name: "x.json" })).toMatchObject({
      kind: "text",
      notes: ["the file is not valid JSON; it was read as text"],
    });
    expect(read("[draft] not JSON at all").notes).toEqual([]);
  });

  it("nested without end is laid out or kept as text, never a crash", () => {
    for (const text of [
      "[".repeat(30_000) + "]".repeat(30_000),
      `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`,
      "[".repeat(30_000),
    ]) {
      expect(["json", "text"]).toContain(read(text).kind);
    }
  });

  it("messages inside messages, replies to replies and parts inside parts do not exhaust the stack", () => {
    const nest = (open: string, close: string, times = 20_000) => `${open.repeat(times)}0${close.repeat(times)}`;
    for (const text of [
      nest('{"message":{"content":"x","message":', "}}"),
      nest('[{"user":"a","text":"b","replies":', "}]"),
      nest('[{"role":"user","content":[{"type":"tool_result","content":', "}]}]"),
      nest('{"messages":[{"role":"user","content":', "}]}"),
    ]) {
      expect(read(text).kind).toBe("json");
      expect(read(`{"role":"user","content":"hi"}\n{"role":"user","content":"ho"}\n${text}\n`).kind).toBe("messages");
    }
  });

  it("indenting changes blanks and escapes only", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        expect(JSON.parse(indentJson(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it("any JSON value gives messages that end their lines, or its own layout", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const document = json(value);
        expect(messagesOf(document).every(({ text }) => document.kind === "text" || text.endsWith("\n"))).toBe(true);
      }),
    );
  });
});
