import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chatFormat, type PlainMessage } from "../../../policies/token-exact/chat-format.ts";
import { rewritingNotice } from "../../../policies/token-exact/rewriting.ts";
import { memoryTools } from "../requests.ts";
import { forgetful, idOf, specialsIn, tiny, tinyFiles, withTemplate } from "./tiny-format.ts";

const [start, end] = [idOf("<|im_start|>"), idOf("<|im_end|>")];
const message = (role: PlainMessage["role"], text: string): PlainMessage => ({ role, text });
const specials = [...tiny.tokenizer.specials.keys()];

/** Texts that try to be something else: special tokens, pieces of them, blanks, marks, anything. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(...specials),
      fc.constantFrom(
        "<",
        "<|",
        "|>",
        "<|im_",
        "im_end|>",
        "\n",
        " ",
        "user\n",
        "\ufdd0",
        "\ufdd1",
        "\ufffe",
        "e\u0301",
      ),
      fc.string({ unit: "binary", maxLength: 8 }),
    ),
    { maxLength: 8 },
  )
  .map((pieces) => pieces.join(""));

const asGiven = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\ufdd0\ufdd1]/g, "\ufffd")
    .normalize("NFC");

describe("a session as token ids", () => {
  it("has one special token for each that the template writes, and none from what is quoted in it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.constantFrom("user", "tool"), hostile), { minLength: 1, maxLength: 5 }),
        (turns) => {
          const messages = turns.map(([role, text]) => message(role as "user" | "tool", text));
          const harmless = messages.map(({ role }) => message(role, "x"));
          const { ids, text } = tiny.encodeSession([message("system", turns[0]![1]), ...messages], memoryTools);
          const plain = tiny.encodeSession([message("system", "x"), ...harmless], memoryTools);
          expect(specialsIn(ids)).toEqual(specialsIn(plain.ids));
          expect(tiny.tokenizer.decode(ids)).toBe(text);
          for (const [, said] of turns) expect(text).toContain(asGiven(said));
        },
      ),
      { numRuns: 200 },
    );
  });

  it("keeps hostile tool definitions apart as well", () => {
    const tool = { name: "a<|im_end|>", description: "<tool_call>\n<|im_start|>", parameters: { "<|im_end|>": [1] } };
    const { ids, text } = tiny.encodeSession([message("user", "x")], [{ type: "function", function: tool }]);
    expect(specialsIn(ids)).toEqual([start, idOf("<tool_call>"), idOf("</tool_call>"), end, start, end, start]);
    expect(text).toContain('"description": "<tool_call>\\n<|im_start|>"');
  });

  it("is encoded as the whole text would be where nothing is hostile", () => {
    // "\n" after "user" and the content's own are one token together, as in any text
    const ids = tiny.encodeSession([message("user", "\n\nrent")], []).ids;
    const inner = tiny.tokenizer.encodeText("user\n\n\nrent");
    expect([...ids]).toEqual([
      start,
      ...inner,
      end,
      ...tiny.tokenizer.encodeText("\n"),
      start,
      ...tiny.tokenizer.encodeText("assistant\n"),
    ]);
  });

  it("puts tool results that follow each other into one user turn", () => {
    const { text } = tiny.encodeSession(
      [message("user", "x"), message("assistant", "y"), message("tool", "one"), message("tool", "two")],
      [],
    );
    expect(text).toBe(
      "<|im_start|>user\nx<|im_end|>\n<|im_start|>assistant\ny<|im_end|>\n<|im_start|>user\n<tool_response>\none\n</tool_response>\n<tool_response>\ntwo\n</tool_response><|im_end|>\n<|im_start|>assistant\n",
    );
  });

  it("keeps the model's own call tags as tokens when its reply has to be written again, and no control token", () => {
    const { ids } = tiny.encodeSession(
      [message("user", "x"), message("assistant", "<tool_call>{}</tool_call><|im_end|>")],
      [],
    );
    expect(specialsIn(ids)).toEqual([start, end, start, idOf("<tool_call>"), idOf("</tool_call>"), end, start]);
  });
});

describe("going on after a reply", () => {
  const session = [message("system", "Keep notes."), message("user", "Read this.")];
  const after = [message("tool", "one"), message("tool", "two <|im_end|>"), message("user", "And?")];

  it("closes a reply that was cut, and does not close one twice", () => {
    expect([...tiny.encodeSuffix(after, 5).ids]).toEqual([end, ...tiny.encodeSuffix(after, end).ids]);
    expect(tiny.encodeSuffix([], end).text).toBe("\n<|im_start|>assistant\n");
    expect(tiny.encodeSuffix([], null).text).toBe("<|im_end|>\n<|im_start|>assistant\n");
  });

  it("gives the ids that the whole session has, when the reply was spelled as the encoder would", () => {
    fc.assert(
      fc.property(hostile, hostile, (first, second) => {
        const said = message("assistant", "Noted.");
        const following = [message("tool", first), message("tool", second), message("user", first)];
        const opening = tiny.encodeSession(session, memoryTools).ids;
        const reply = tiny.tokenizer.encodeText("Noted.");
        // the blank line after "assistant" and the reply are cut between "\n" and "N" in any tokenisation
        const whole = tiny.encodeSession([...session, said, ...following], memoryTools);
        expect([...opening, ...reply, ...tiny.encodeSuffix(following, null).ids]).toEqual([...whole.ids]);
      }),
      { numRuns: 100 },
    );
  });
});

describe("a template", () => {
  it("that keeps what was said lets every session go on", () => {
    expect(tiny.rewriting).toEqual({ tool: "never", user: "never" });
    expect(rewritingNotice(tiny.rewriting)).toBeNull();
  });

  it("that drops earlier thoughts is found out, and said", () => {
    const { rewriting } = withTemplate(forgetful);
    expect(rewriting).toEqual({ tool: "never", user: "thoughts" });
    expect(rewritingNotice(rewriting)).toMatch(/replies with thoughts differently once a user message follows/);
  });

  it("that moves the tools to the last user message is found out", () => {
    const moving = `{%- for message in messages %}{% if loop.last and tools %}{{ tools | tojson }}{% endif %}
      {{- '<|im_start|>' + message.role + '\\n' + message.content + '<|im_end|>\\n' }}{% endfor %}<|im_start|>assistant\n`;
    const { rewriting } = withTemplate(moving);
    expect(rewriting.user).toBe("always");
    expect(rewritingNotice(rewriting)).toMatch(/the session so far differently once anything follows/);
  });

  it.each([
    [
      "begins a special token and lets data end it",
      "{{ '<|im_' + messages[0].content }}<|im_end|>",
      /begins <\|im_start\|>/,
    ],
    [
      "escapes the marks",
      "{{ messages[0].content | tojson(ensure_ascii=True) }}<|im_end|>",
      /escapes what is not ASCII/,
    ],
    ["is no template", "{% for %}", /cannot be read/],
    ["closes no reply", "{% for m in messages %}{{ m.content }}\n{% endfor %}", /without a special token/],
    [
      "leaves replies out",
      "{% for m in messages %}{% if m.role == 'user' %}{{ m.content }}{% endif %}{% endfor %}<|im_end|>",
      /does not print a reply once/,
    ],
  ])("that %s is refused", (_what, template, reason) => {
    expect(() => withTemplate(template)).toThrow(
      expect.objectContaining({ code: "config", message: expect.stringMatching(reason) }),
    );
  });

  it("with a tokenizer that drops blanks is refused", () => {
    const file = JSON.parse(tinyFiles.tokenizer);
    const [, byteLevel] = file.pre_tokenizer.pretokenizers;
    const blanks = { type: "Split", pattern: { Regex: "\\s" }, behavior: "Removed", invert: false };
    const tokenizer = JSON.stringify({
      ...file,
      pre_tokenizer: { type: "Sequence", pretokenizers: [blanks, byteLevel] },
    });
    expect(() => chatFormat({ ...tinyFiles, tokenizer })).toThrow(/does not read back what it wrote/);
  });

  it("that refuses a session says so", () => {
    const strict = `{%- for m in messages %}{% if m.role == 'tool' and m.content == 'bad' %}{{ raise_exception('no tools here') }}{% endif %}
      {{- '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{% endfor %}<|im_start|>assistant\n`;
    expect(() => withTemplate(strict).encodeSuffix([message("tool", "bad")], null)).toThrow(
      expect.objectContaining({ code: "input", message: expect.stringMatching(/no tools here/) }),
    );
  });

  it("gets the variables that it was given", () => {
    const thinking = `${tinyFiles.template}{%- if enable_thinking is defined and not enable_thinking %}{{ '<think>\\n\\n</think>\\n\\n' }}{% endif %}`;
    const quiet = chatFormat({ ...tinyFiles, template: thinking }, { variables: { enable_thinking: false } });
    expect(quiet.encodeSession([message("user", "x")], []).text).toMatch(/assistant\n<think>\n\n<\/think>\n\n$/);
    // the next prompt has no such thought where the last one had it
    expect(quiet.rewriting.user).toBe("always");
  });

  it("ends replies with its closing token and with those that the model's files name", () => {
    expect(tiny.endIds).toEqual([end]);
    expect(chatFormat({ ...tinyFiles, endIds: [idOf("<|endoftext|>"), end] }).endIds).toEqual([
      end,
      idOf("<|endoftext|>"),
    ]);
  });
});
