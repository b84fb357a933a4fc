/**
 * A model's chat template: messages and tools in, what the model is to be given out, with the data in it guarded.
 *
 * Everything that is put into the template is data; only text that stands in the template itself can become a special
 * token. That this cannot be got around is settled once, when the template is read.
 */
import { Template, tokenize } from "@huggingface/jinja";
import { messageOf, UmaError } from "../../base/errors.ts";
import type { ToolDefinition } from "../../tools/tool.ts";
import type { DataGuard } from "./guarded-data.ts";
import type { TokenizerSettings } from "./model-files.ts";

export interface TemplateMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  /** Guarded, or a mark. */
  readonly content: string;
  readonly name?: string;
  readonly tool_call_id?: string;
}

export interface ChatTemplate {
  /** Up to where the model's reply begins. Throws `input` for messages that the template refuses. */
  print(messages: readonly TemplateMessage[], tools?: readonly ToolDefinition[]): string;
}

export interface ChatTemplateOptions {
  readonly guard: DataGuard;
  /** Texts of all special tokens. */
  readonly specials: readonly string[];
  readonly settings: TokenizerSettings;
  /** Further variables of the template, e.g. `{ enable_thinking: false }`. */
  readonly variables?: Readonly<Record<string, unknown>> | undefined;
}

export function chatTemplate(source: string, options: ChatTemplateOptions): ChatTemplate {
  const { guard, settings, variables = {} } = options;
  const template = compiled(source, options.specials);
  const guarded = new WeakMap<readonly ToolDefinition[], readonly ToolDefinition[]>();
  const harmless = (tools: readonly ToolDefinition[]) => {
    const known = guarded.get(tools) ?? guard.guard(tools);
    guarded.set(tools, known);
    return known;
  };
  return {
    print(messages, tools = []) {
      try {
        return template.render({
          ...variables,
          bos_token: settings.bos_token ?? "",
          eos_token: settings.eos_token ?? "",
          messages,
          ...(tools.length > 0 && { tools: harmless(tools) }),
          add_generation_prompt: true,
        });
      } catch (cause) {
        throw new UmaError("input", `the chat template refuses these messages: ${messageOf(cause)}`, {
          fix: "use a model whose template takes system, user, assistant and tool messages",
          cause,
        });
      }
    },
  };
}

function compiled(source: string, specials: readonly string[]): Template {
  const unsafe = (what: string) =>
    new UmaError("config", `the chat template ${what}, so text from outside could pass for a special token`, {
      fix: "give the model a template that writes special tokens whole, e.g. the one it was published with",
    });
  if (/ensure_ascii\s*=\s*true/i.test(source)) throw unsafe("escapes what is not ASCII");
  let literals: string[];
  let template: Template;
  try {
    const tokens: readonly { readonly type: string; readonly value: string }[] = tokenize(source, {
      lstrip_blocks: true,
      trim_blocks: true,
    });
    literals = tokens.filter(({ type }) => type === "Text" || type === "StringLiteral").map(({ value }) => value);
    template = new Template(source);
  } catch (cause) {
    throw new UmaError("config", `the chat template cannot be read: ${messageOf(cause)}`, { cause });
  }
  for (const literal of literals) {
    const begun = specials.find((name) => endsInBeginningOf(literal, name));
    if (begun !== undefined) throw unsafe(`begins ${begun} and leaves its end to what comes after`);
  }
  return template;
}

function endsInBeginningOf(literal: string, special: string): boolean {
  for (let length = 1; length < special.length; length++) if (literal.endsWith(special.slice(0, length))) return true;
  return false;
}
