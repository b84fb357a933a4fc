/**
 * A model's tokenizer, read from its `tokenizer.json`: exact in both directions, and with special tokens apart.
 *
 * Text becomes ids without ever becoming a special token: `<|im_end|>` in a document is encoded as the characters it is
 * made of. Special tokens are put in by id, by whoever knows that the template wrote them. Only byte-level byte-pair
 * vocabularies are taken (Qwen, Llama 3, GPT and most others): there, ids laid end to end are bytes laid end to end, so a
 * completion is read back exactly, and a sequence may be continued at any token.
 */
import { createHash } from "node:crypto";
import { Tokenizer } from "@huggingface/tokenizers";
import { z } from "zod";
import { messageOf, UmaError } from "../../base/errors.ts";
import { byteCharacters, tokenBytes } from "./byte-alphabet.ts";

export interface SpecialToken {
  readonly id: number;
  /** A control token such as the end of a turn, as against a tag the model also writes itself. */
  readonly control: boolean;
}

export interface TextTokenizer {
  /** SHA-256 of `tokenizer.json`, in hex: both sides of a wire have the same tokenizer when they have the same hash. */
  readonly hash: string;
  readonly specials: ReadonlyMap<string, SpecialToken>;
  /** None of the ids is a special token's. */
  readonly encodeText: (text: string) => Int32Array;
  readonly countTokens: (text: string) => number;
  /** Special tokens come out as their text; bytes that are no UTF-8 as U+FFFD. */
  readonly decode: (ids: Int32Array) => string;
  /** Text of the ids, and for each id how many UTF-16 units of the text come before it: [n + 1], the last is all of them. */
  readonly decodeWithOffsets: (ids: Int32Array) => { readonly text: string; readonly offsets: Int32Array };
  /** A text as it is after encoding and decoding. */
  readonly asDecoded: (text: string) => string;
}

type Vocabulary = Record<string, number>;

const Part = z.looseObject({ type: z.string() });
const File = z.looseObject({
  model: z.looseObject({
    type: z.string().optional(),
    vocab: z.custom<Vocabulary>(isVocabulary, "expected token ids by token"),
  }),
  normalizer: Part.nullish(),
  pre_tokenizer: z.looseObject({ type: z.string(), pretokenizers: z.array(Part).optional() }).nullish(),
  decoder: Part.nullish(),
  added_tokens: z
    .array(
      z.looseObject({
        id: z.int().min(0),
        content: z.string().min(1),
        special: z.boolean().default(false),
        lstrip: z.boolean().default(false),
        rstrip: z.boolean().default(false),
      }),
    )
    .default([]),
});

/** Of its hundred thousand entries only a few are looked at. */
function isVocabulary(value: unknown): boolean {
  if (value === null || typeof value !== "object" || Array.isArray(value)) return false;
  return Object.keys(value)
    .slice(0, 256)
    .every((token) => Number.isInteger((value as Vocabulary)[token]) && (value as Vocabulary)[token]! >= 0);
}

/** Throws `input` for a file that is no tokenizer, `config` for one that is not byte-level. `where` names it in errors. */
export function textTokenizer(json: string, where = "tokenizer.json"): TextTokenizer {
  const file = readFile(json, where);
  refuseOtherKinds(file, where);
  const added = file.added_tokens;
  const vocab = withoutTokens(file.model.vocab, added);
  const missing = byteCharacters.filter((character) => !Object.hasOwn(vocab, character));
  if (missing.length > 0)
    throw new UmaError("config", `${where}: its vocabulary has no token for ${missing.length} of the 256 bytes`, {
      fix: "use a tokenizer that can write any text; the missing bytes would vanish from what the model is given",
    });

  const encoder = new Tokenizer({ ...file, model: { ...file.model, vocab }, added_tokens: [] }, {});
  const known = new Map<number, Uint8Array>(added.map(({ id, content }) => [id, Buffer.from(content)]));
  const bytesOf = (id: number): Uint8Array => {
    const found = known.get(id) ?? tokenBytes(encoder.id_to_token(id) ?? NO_TOKEN) ?? UNKNOWN;
    known.set(id, found);
    return found;
  };
  const composes = file.normalizer?.type === "NFC";
  const asDecoded = (text: string) => (composes ? text.toWellFormed().normalize("NFC") : text.toWellFormed());
  const encode = (text: string): readonly number[] =>
    text === "" ? [] : encoder.encode(text.toWellFormed(), { add_special_tokens: false }).ids;

  const decodeWithOffsets = (ids: Int32Array) => {
    const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
    const offsets = new Int32Array(ids.length + 1);
    const pieces: string[] = [];
    let length = 0;
    ids.forEach((id, k) => {
      offsets[k] = length;
      const piece = decoder.decode(bytesOf(id), { stream: true });
      pieces.push(piece);
      length += piece.length;
    });
    const rest = decoder.decode();
    offsets[ids.length] = length + rest.length;
    return { text: pieces.join("") + rest, offsets };
  };

  return {
    hash: createHash("sha256").update(json).digest("hex"),
    // a single character cannot be told from the same character in a text
    specials: new Map(
      added
        .filter(({ content }) => content.length > 1)
        .map(({ id, content, special }) => [content, { id, control: special }]),
    ),
    encodeText: (text) => Int32Array.from(encode(text)),
    countTokens: (text) => encode(text).length,
    decode: (ids) => decodeWithOffsets(ids).text,
    decodeWithOffsets,
    asDecoded,
  };
}

/** What stands for an id that the tokenizer does not have; models have more ids than tokens. */
const UNKNOWN = Buffer.from("\uFFFD");
/** No byte is written by this character. */
const NO_TOKEN = "\uFFFF";

/** The vocabulary that text is encoded with; some list their added tokens in it as well. */
function withoutTokens(vocab: Vocabulary, tokens: readonly { readonly content: string }[]): Vocabulary {
  if (!tokens.some(({ content }) => Object.hasOwn(vocab, content))) return vocab;
  const rest = { ...vocab };
  for (const { content } of tokens) delete rest[content];
  return rest;
}

function readFile(json: string, where: string): z.infer<typeof File> {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (cause) {
    throw new UmaError("input", `${where}: it is not JSON (${messageOf(cause)})`, { cause });
  }
  const parsed = File.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UmaError("input", `${where}: ${issue?.path.join(".")}: ${issue?.message}`, {
    fix: "expected the tokenizer.json of a Hugging Face model folder",
  });
}

function refuseOtherKinds(file: z.infer<typeof File>, where: string): void {
  const parts = [file.pre_tokenizer, ...(file.pre_tokenizer?.pretokenizers ?? [])];
  const byteLevel = parts.find((part) => part?.type === "ByteLevel");
  const reason =
    (file.model.type ?? "BPE") !== "BPE"
      ? `its model is ${file.model.type}`
      : file.decoder?.type !== "ByteLevel" || !byteLevel
        ? "it does not work on bytes"
        : byteLevel.add_prefix_space === true
          ? "it puts a blank before every text"
          : file.normalizer && file.normalizer.type !== "NFC"
            ? `it changes texts (${file.normalizer.type})`
            : file.added_tokens.some((token) => token.lstrip || token.rstrip)
              ? "its special tokens take the blanks beside them"
              : null;
  if (reason !== null)
    throw new UmaError("config", `${where}: token-exact policies need a byte-level BPE tokenizer; ${reason}`, {
      fix: "use a model with one, such as Qwen3",
    });
}
