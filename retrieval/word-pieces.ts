/**
 * Uncased BERT word pieces, for the static embedding table: text → ids, without the unknown ones.
 *
 * Order matters and is BERT's: drop control, format and private characters; blanks around ideographs; NFD without
 * non-spacing marks; lower case one code point at a time (so a final Σ is σ); each punctuation mark is a word; then the
 * longest known piece from the left, continuations spelled "##…". A word of more than 100 code points, or with any part
 * that no piece covers, leaves no id. "[CLS]" in a text is text.
 */

export interface WordPieces {
  /** Ids of the known pieces, in order. */
  ids(text: string): number[];
}

const plain = /^[\t\n\r\x20-\x7e]*$/;
const plainWords = /[a-z0-9]+|[!-/:-@[-`{-~]/g;
const dropped = /\ufffd|(?![\t\n\r])[\p{Cc}\p{Cf}\p{Co}\p{Cs}]/gu;
const ideographs =
  /[\u4e00-\u9fff\u3400-\u4dbf\uf900-\ufaff\u{20000}-\u{2a6df}\u{2a700}-\u{2b73f}\u{2b740}-\u{2b81f}\u{2b820}-\u{2ceaf}\u{2f800}-\u{2fa1f}]/gu;
const anyWords = /[\p{P}$+<=>^`|~]|[^\s\p{P}$+<=>^`|~]+/gu;
const longestWord = 100;
/** Words repeat, so their pieces are remembered; cleared when full rather than tracked by age. */
const memoLimit = 50_000;

/** `vocabulary`: one piece a line, the line number is the id. */
export function createWordPieces(vocabulary: string): WordPieces {
  const first = new Map<string, number>();
  const next = new Map<string, number>();
  let longestPiece = 0;
  vocabulary.split(/\r?\n/).forEach((piece, id) => {
    if (piece === "") return;
    const continues = piece.length > 2 && piece.startsWith("##");
    (continues ? next : first).set(continues ? piece.slice(2) : piece, id);
    longestPiece = Math.max(longestPiece, piece.length);
  });
  const memo = new Map<string, readonly number[]>();

  const split = (word: string): readonly number[] => {
    if (word.length > longestWord && Array.from(word).length > longestWord) return [];
    const ids: number[] = [];
    for (let start = 0; start < word.length; ) {
      const pieces = start === 0 ? first : next;
      let end = Math.min(word.length, start + longestPiece);
      let id: number | undefined;
      while (end > start) {
        id = pieces.get(word.slice(start, end));
        if (id !== undefined) break;
        end--;
      }
      if (id === undefined) return [];
      ids.push(id);
      start = end;
    }
    return ids;
  };

  return {
    ids(text) {
      const ids: number[] = [];
      for (const word of words(text)) {
        let pieces = memo.get(word);
        if (pieces === undefined) {
          pieces = split(word);
          if (memo.size >= memoLimit) memo.clear();
          memo.set(word, pieces);
        }
        for (const id of pieces) ids.push(id);
      }
      return ids;
    },
  };
}

function words(text: string): readonly string[] {
  if (plain.test(text)) return text.toLowerCase().match(plainWords) ?? [];
  const cleaned = text
    .replace(dropped, "")
    .replace(ideographs, " $& ")
    .normalize("NFD")
    .replace(/\p{Mn}+/gu, "");
  let lowered = "";
  for (const character of cleaned) lowered += character.toLowerCase();
  return lowered.match(anyWords) ?? [];
}
