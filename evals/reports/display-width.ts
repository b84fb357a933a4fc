/** Columns that a text takes in a terminal: wide characters take two, combining marks none. */

/** East Asian Wide and Fullwidth blocks (UAX #11), emoji left to the regular expression below. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x17000, 0x18cff],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];
const emoji = /\p{Emoji_Presentation}|\p{Emoji}\uFE0F|\p{Regional_Indicator}{2}/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]*$/u;
const plain = /^[\x20-\x7e]*$/;
const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export function displayWidth(text: string): number {
  if (plain.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  if (emoji.test(grapheme)) return 2;
  const point = grapheme.codePointAt(0)!;
  return wide.some(([first, last]) => point >= first && point <= last) ? 2 : 1;
}

/** The longest beginning that fits, with an ellipsis when something was left out. */
export function clipToWidth(text: string, width: number): string {
  if (displayWidth(text) <= width) return text;
  let kept = "";
  let taken = 0;
  for (const { segment } of graphemes.segment(text)) {
    const next = graphemeWidth(segment);
    if (taken + next > width - 1) break;
    kept += segment;
    taken += next;
  }
  return `${kept}…`;
}

export function padToWidth(text: string, width: number, align: "left" | "right"): string {
  const padding = " ".repeat(Math.max(0, width - displayWidth(text)));
  return align === "left" ? text + padding : padding + text;
}

/** One line without control characters: a data set's text must not steer the terminal. Bidi controls would swap columns. */
export const printable = (text: string) =>
  text.replace(/\s+/g, " ").replace(/[\p{Cc}\u202A-\u202E\u2066-\u2069\u200E\u200F\u061C]/gu, "�");
