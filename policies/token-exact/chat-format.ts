/**
 * How a session becomes token ids and goes on as token ids (learner protocol notes §3): tokenizer and chat template together.
 *
 * The first prompt is encoded once. After a reply only what follows it is encoded, alone: it begins with the special token
 * that closes the reply, and special tokens are hard boundaries, so the ids are those that the whole would have had. A
 * template that writes earlier replies differently later on is found when it is read; its sessions then begin anew.
 */
import { UmaError } from "../../base/errors.ts";
import type { ToolDefinition } from "../../tools/tool.ts";
import { type ChatTemplate, chatTemplate, type TemplateMessage } from "./chat-template.ts";
import { dataGuard, REPLY_MARK } from "./guarded-data.ts";
import type { ModelFiles } from "./model-files.ts";
import { type Rewriting, rewritingOf } from "./rewriting.ts";
import { type TextTokenizer, textTokenizer } from "./text-tokenizer.ts";

/** A message as text, whoever wrote it. */
export interface PlainMessage {
  readonly role: TemplateMessage["role"];
  readonly text: string;
  readonly name?: string | undefined;
  readonly callId?: string | undefined;
}

export interface Encoded {
  readonly ids: Int32Array;
  /** What the ids stand for: equal to `decode(ids)`. */
  readonly text: string;
}

export interface ChatFormat {
  readonly tokenizer: TextTokenizer;
  /** Ids that end a reply. */
  readonly endIds: readonly number[];
  /** Where the template does not let a session go on as it is. */
  readonly rewriting: Rewriting;
  /** A session from its beginning to where the next reply begins. */
  encodeSession(messages: readonly PlainMessage[], tools: readonly ToolDefinition[]): Encoded;
  /** From the end of a reply to where the next one begins: `messages` came after it, `last` is the last id that was sampled. */
  encodeSuffix(messages: readonly PlainMessage[], last: number | null): Encoded;
}

export interface ChatFormatOptions {
  /** Names the model in errors. */
  readonly name?: string;
  /** Further variables of the template, e.g. `{ enable_thinking: false }`. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

/** Throws `config` for a tokenizer or template that cannot be used token-exactly. */
export function chatFormat(files: ModelFiles, { name = "the model", variables }: ChatFormatOptions = {}): ChatFormat {
  const tokenizer = textTokenizer(files.tokenizer, `${name}: tokenizer.json`);
  const { specials } = tokenizer;
  const guard = dataGuard(specials);
  const template = chatTemplate(files.template, {
    guard,
    specials: [...specials.keys()],
    settings: files.settings,
    variables,
  });

  const encode = (printed: string): Encoded => {
    const parts = guard.pieces(printed).map(({ special, text }) => ({
      ids: special === null ? tokenizer.encodeText(text) : Int32Array.of(special),
      text: special === null ? tokenizer.asDecoded(text) : text,
    }));
    const ids = joined(parts.map((part) => part.ids));
    const text = parts.map((part) => part.text).join("");
    if (tokenizer.decode(ids) !== text)
      throw new UmaError("config", `${name}: the tokenizer does not read back what it wrote`, {
        fix: "use a byte-level tokenizer that drops nothing, such as Qwen3's",
      });
    return { ids, text };
  };
  const asTemplateMessage = ({ role, text, name: tool, callId }: PlainMessage): TemplateMessage => ({
    role,
    content: role === "assistant" ? guard.guardReply(text) : guard.guard(text),
    ...(tool !== undefined && { name: guard.guard(tool) }),
    ...(callId !== undefined && { tool_call_id: guard.guard(callId) }),
  });
  const printSession = (messages: readonly PlainMessage[], tools: readonly ToolDefinition[]) =>
    template.print(messages.map(asTemplateMessage), tools);
  const printSuffix = (messages: readonly PlainMessage[]) =>
    afterReply(template, messages.map(asTemplateMessage), name);

  const closing = encode(printSuffix([])).ids[0] ?? null;
  const end = files.settings.eos_token == null ? undefined : specials.get(files.settings.eos_token)?.id;
  const closes = closing !== null && [...specials.values()].some(({ id }) => id === closing);
  if (!closes)
    throw new UmaError("config", `${name}: the chat template ends a reply without a special token`, {
      fix: "token-exact sessions need a template in which a special token, such as <|im_end|>, closes each reply",
    });
  return {
    tokenizer,
    endIds: [...new Set([closing, ...(end === undefined ? [] : [end]), ...files.endIds])],
    rewriting: rewritingOf({
      session: (messages, tools) => guard.plain(printSession(messages, tools)),
      suffix: (messages) => guard.plain(printSuffix(messages)),
    }),
    encodeSession: (messages, tools) => encode(printSession(messages, tools)),
    encodeSuffix(messages, last) {
      const { ids, text } = encode(printSuffix(messages));
      // the model closed its reply itself; one that was cut is closed here, by a token that was not sampled
      if (last === null || last !== ids[0]) return { ids, text };
      return { ids: ids.slice(1), text: text.slice(tokenizer.decode(ids.slice(0, 1)).length) };
    },
  };
}

/** What the template prints after a reply, whatever the reply says. */
function afterReply(template: ChatTemplate, messages: readonly TemplateMessage[], name: string): string {
  const printed = template.print([
    { role: "user", content: "." },
    { role: "assistant", content: REPLY_MARK },
    ...messages,
  ]);
  const [, suffix, more] = printed.split(REPLY_MARK);
  if (suffix === undefined || more !== undefined)
    throw new UmaError("config", `${name}: the chat template does not print a reply once, as it is`, {
      fix: "token-exact sessions need a template that prints the content of assistant messages",
    });
  return suffix;
}

function joined(parts: readonly Int32Array[]): Int32Array {
  const ids = new Int32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    ids.set(part, at);
    at += part.length;
  }
  return ids;
}
