/** The words of a text that say what it is about: stop words gone, endings taken off, CJK as pairs of characters. */
import { cjk } from "../../retrieval/tokenize.ts";

const STOP_WORDS = new Set(
  `a an the and or but if then than so as at by for from in into of off on onto out over to up with without about after
  before again i me my mine we us our you your he him his she her hers it its they them their this that these those there
  here am is are was were be been being do does did doing have has had having will would can could shall should may might
  must not no nor yes ok okay hey hi hello oh wow yeah well just really very too also some any all each more most much many
  such only own same what which who whom whose when where why how s t d ll m re ve don didn doesn isn wasn aren weren won
  wouldn couldn shouldn haven hasn hadn let get got go going gonna im youre thats said say says tell told know think thing
  things one ones lot lots like`.split(/\s+/),
);

/** In order, with repetitions, as stems that match across the common endings of English. */
export function contentWords(text: string): string[] {
  return cjk(text.replace(/[’']s\b/g, "")).flatMap((term) => {
    const word = String(term);
    return STOP_WORDS.has(word) ? [] : [stem(word)];
  });
}

/** A light stemmer: enough to join "painting", "painted" and "paints", not to be right about every word. */
export function stem(word: string): string {
  if (word.length <= 3 || !/^[a-z]+$/.test(word)) return word;
  const base = word
    .replace(/(?:ies)$/, "y")
    .replace(/(?<=ss|sh|ch|x|z)es$/, "")
    .replace(/(?<=[^su])s$/, "")
    .replace(/(?<=[a-z]{3})(?:ing|ed)$/, "");
  return base.replace(/([b-df-hj-np-tv-z])\1$/, "$1").replace(/(?<=[a-z]{3})e$/, "");
}
