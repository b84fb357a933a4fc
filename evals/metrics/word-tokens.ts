/**
 * Words of a normalised text for ROUGE-L and BLEU-1: runs of letters, marks and digits of any script; a number with its
 * sign, point and separators is one word; a Chinese or Japanese character is a word of its own.
 */
const ideograph = "[\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}]";
const letter = `(?:(?!${ideograph})[\\p{L}\\p{M}\\p{N}])`;
const word = new RegExp(
  `${ideograph}|(?:(?<![^\\s])-?\\.?(?=\\d))?${letter}+(?:(?<=\\d)[!-/:-@[-\`{-~](?=\\d)${letter}+)*`,
  "gu",
);

export const wordTokens = (normalized: string): string[] => normalized.match(word) ?? [];
