/**
 * Makes the tokenizer of a small ledger policy: a Hugging Face `tokenizer.json` that cuts text at fragments, names, dates,
 * words, single digits and marks. A piece of the vocabulary is one token, any other is spelled in bytes, so nothing is lost.
 *
 * In form a byte-level BPE without merges (`ignore_merges`), which the Rust and the JavaScript library read alike.
 */
import { byteCharacters } from "../../../policies/token-exact/byte-alphabet.ts";
import { days, fragments, months, names } from "./fragments.ts";

/** In the order of their ids, which follow the vocabulary's. */
export const specialTokens = ["<|end|>", "<|system|>", "<|user|>", "<|assistant|>", "<|tool|>"] as const;

const literal = (text: string) => text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
const longestFirst = (texts: readonly string[]) => [...texts].sort((a, b) => b.length - a.length).map(literal);

/** Without escapes that only one of the two regular-expression languages has. */
const pieces = [
  ...longestFirst(fragments),
  `(?:${longestFirst(names).join("|")})(?!\\p{L})`,
  "20\\p{Nd}\\p{Nd}-\\p{Nd}\\p{Nd}(?=-\\p{Nd}\\p{Nd})",
  "(?<=20\\p{Nd}\\p{Nd}-\\p{Nd}\\p{Nd})-\\p{Nd}\\p{Nd}",
  "\\p{N}",
  " ?\\p{L}+",
  " ?[^\\s\\p{L}\\p{N}]",
  "\\s",
].join("|");

/** How texts are cut before the vocabulary is looked at. */
export const piecesOf = (text: string): string[] => text.match(new RegExp(pieces, "gu")) ?? [];

/** The pieces of the texts, most frequent first (then by code unit), those seen fewer than `least` times left out. */
export function countPieces(texts: Iterable<string>, least: number): string[] {
  const counts = new Map<string, number>();
  for (const text of texts) for (const piece of piecesOf(text)) counts.set(piece, (counts.get(piece) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= least)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .map(([piece]) => piece);
}

/** `words`: pieces that get tokens beside bytes, fragments, names and dates. Text of a tokenizer.json. */
export function policyTokenizer(words: readonly string[]): string {
  const asToken = (text: string) => Array.from(Buffer.from(text), (byte) => byteCharacters[byte]!).join("");
  const tokens = [
    ...byteCharacters,
    ...[...fragments, ...names, ...months, ...days, ...words]
      .filter((text) => Buffer.byteLength(text) > 1)
      .map(asToken),
  ];
  const vocab = Object.fromEntries([...new Set(tokens)].map((token, id) => [token, id]));
  const first = Object.keys(vocab).length;
  return `${JSON.stringify(
    {
      version: "1.0",
      truncation: null,
      padding: null,
      added_tokens: specialTokens.map((content, i) => ({
        id: first + i,
        content,
        single_word: false,
        lstrip: false,
        rstrip: false,
        normalized: false,
        special: true,
      })),
      normalizer: null,
      pre_tokenizer: {
        type: "Sequence",
        pretokenizers: [
          { type: "Split", pattern: { Regex: pieces }, behavior: "Isolated", invert: false },
          { type: "ByteLevel", add_prefix_space: false, trim_offsets: true, use_regex: false },
        ],
      },
      post_processor: null,
      decoder: { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true },
      model: {
        type: "BPE",
        dropout: null,
        unk_token: null,
        continuing_subword_prefix: null,
        end_of_word_suffix: null,
        fuse_unk: false,
        byte_fallback: false,
        ignore_merges: true,
        vocab,
        merges: [],
      },
    },
    null,
    1,
  )}\n`;
}
