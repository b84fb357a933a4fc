/** Whether the words of a decoded text look like words that somebody wrote, whatever the language. */

const words = /[^\s\x00-\x26\x28-\x40\x5b-\x60\x7b-\x7f]+/g;
const nonAscii = /[^\x00-\x7f]/;
const quotesAndDashes = /[«»‘’‚“”„‹›–—…·\u00a0]/g;
const impossible = /[\u0080-\u009f\ufffd\p{Co}\p{Cn}]/u;
const alphabet = "[\\p{Script=Latin}\\p{Script=Cyrillic}\\p{Script=Greek}\\p{Script=Hebrew}\\p{Script=Arabic}]";
const capitalInside = /\p{Ll}\p{Lu}/u;
const symbolInside = new RegExp(
  `${alphabet}[^\\p{Ll}\\p{Lu}\\p{Lt}\\p{Lm}\\p{M}\\p{Nd}\\p{Script=Hebrew}\\p{Script=Arabic}'\\-\\u00ad‑_\\u200c-\\u200f]+${alphabet}|${alphabet}[¿¡]|${alphabet}\\p{S}|\\p{S}${alphabet}`,
  "u",
);
const scripts = ["Latin", "Cyrillic", "Greek", "Hebrew", "Arabic"].map(
  (name) => new RegExp(`\\p{Script=${name}}`, "u"),
);

/** How many words have non-ASCII letters, and which share of them no writer would have written (1: impossible text). */
export function judgeWords(text: string): { count: number; letters: number; odd: number } {
  if (impossible.test(text)) return { count: 0, letters: 0, odd: 1 };
  let count = 0;
  let nonAsciiLetters = 0;
  let odd = 0;
  for (const [word] of text.matchAll(words)) {
    const letters = word.replace(quotesAndDashes, "");
    if (!nonAscii.test(letters)) continue;
    count++;
    nonAsciiLetters += letters.length - letters.replace(/[^\x00-\x7f]/g, "").length;
    const mixed = scripts.filter((script) => script.test(letters)).length > 1;
    if (mixed || capitalInside.test(letters) || symbolInside.test(letters)) odd++;
  }
  return { count, letters: nonAsciiLetters, odd: count === 0 ? 0 : odd / count };
}
