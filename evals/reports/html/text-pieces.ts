/**
 * Texts by reference to shared pieces, cut at line ends.
 *
 * Sessions of one context repeat each other: the same passages in prompts and observations, the same instruction. With
 * every distinct line kept once, a page holds ten times as many sessions as with gzip alone.
 */

/** Short texts as they are, long ones as indices into the table's pieces. */
export type PackedText = string | readonly number[];

export interface TextPieces {
  pack(text: string): PackedText;
  /** Grows with every `pack`. */
  readonly pieces: readonly string[];
}

/** Shorter texts cost less than their references. */
const LONG_TEXT = 200;

export function textPieces(): TextPieces {
  const pieces: string[] = [];
  const known = new Map<string, number>();
  return {
    pieces,
    pack(text) {
      if (text.length < LONG_TEXT) return text;
      return splitLines(text).map((piece) => {
        const held = known.get(piece);
        if (held !== undefined) return held;
        known.set(piece, pieces.length);
        return pieces.push(piece) - 1;
      });
    },
  };
}

/** Also at the `\n` of a JSON string, where observations hold passages. Joined, the pieces are the text. */
const splitLines = (text: string) => text.split(/(?<=\n|\\n)/);
