/** The files of a Hugging Face model folder that say how text becomes tokens: tokenizer, its settings, chat template. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { messageOf, UmaError } from "../../base/errors.ts";

export interface ModelFiles {
  /** Text of tokenizer.json. */
  readonly tokenizer: string;
  readonly settings: TokenizerSettings;
  /** Jinja source. */
  readonly template: string;
  /** Ids that end a reply, from generation_config.json; empty without one. */
  readonly endIds: readonly number[];
}

const TokenText = z.union([z.string(), z.looseObject({ content: z.string() }).transform(({ content }) => content)]);
const TokenizerSettings = z.looseObject({
  bos_token: TokenText.nullish(),
  eos_token: TokenText.nullish(),
  chat_template: z.union([z.string(), z.array(z.object({ name: z.string(), template: z.string() }))]).nullish(),
});
export type TokenizerSettings = z.infer<typeof TokenizerSettings>;

const GenerationConfig = z.looseObject({ eos_token_id: z.union([z.int(), z.array(z.int())]).nullish() });

/** Throws `input` for a file that is missing or broken. A template of its own beats the one in the settings. */
export async function readModelFiles(folder: string): Promise<ModelFiles> {
  const read = (name: string) =>
    readFile(join(folder, name), "utf8").catch((cause: NodeJS.ErrnoException) => {
      if (cause.code === "ENOENT") return null;
      throw new UmaError("input", `${join(folder, name)}: ${cause.message}`, { cause });
    });
  const [tokenizer, settings, template, generation] = await Promise.all(
    ["tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "generation_config.json"].map(read),
  );
  if (tokenizer == null)
    throw new UmaError("input", `${folder}: expected a Hugging Face model folder, found no tokenizer.json in it`);
  return modelFiles({ tokenizer, settings, template, generation }, folder);
}

/** The same from the texts of the files; `where` names them in errors. */
export function modelFiles(
  texts: {
    readonly tokenizer: string;
    readonly settings?: string | null | undefined;
    readonly template?: string | null | undefined;
    readonly generation?: string | null | undefined;
  },
  where: string,
): ModelFiles {
  const settings = parse(TokenizerSettings, texts.settings ?? "{}", `${where}: tokenizer_config.json`);
  const ends = parse(GenerationConfig, texts.generation ?? "{}", `${where}: generation_config.json`).eos_token_id;
  const held = settings.chat_template;
  const template =
    texts.template ?? (typeof held === "string" ? held : held?.find(({ name }) => name === "default")?.template);
  if (template == null)
    throw new UmaError("input", `${where}: the model has no chat template`, {
      fix: "put a chat_template.jinja beside tokenizer.json; base models without one cannot take turns",
    });
  return { tokenizer: texts.tokenizer, settings, template, endIds: ends == null ? [] : [ends].flat() };
}

function parse<T>(schema: z.ZodType<T>, text: string, where: string): T {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw new UmaError("input", `${where} is not JSON (${messageOf(cause)})`, { cause });
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UmaError("input", `${where}: ${issue?.path.join(".")}: ${issue?.message}`);
}
