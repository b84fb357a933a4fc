/**
 * Porter's stemmer for English (Porter 1980, "An algorithm for suffix stripping"), with the extensions of NLTK that
 * ROUGE-L's published numbers rest on: a list of irregular forms, words of two letters left alone, "ies" and "ied" after
 * one letter become "ie", y → i only after a consonant that is not the first letter, -bli → -ble, -alli → -al repeated,
 * -fulli → -ful, -logi → -log, and a two-letter stem may end the word in a short syllable.
 *
 * Words are lower case; a letter outside a–z counts as a consonant.
 */
const irregular = new Map(
  Object.entries({
    sky: ["sky", "skies"],
    die: ["dying"],
    lie: ["lying"],
    tie: ["tying"],
    news: ["news"],
    inning: ["innings", "inning"],
    outing: ["outings", "outing"],
    canning: ["cannings", "canning"],
    howe: ["howe"],
    proceed: ["proceed"],
    exceed: ["exceed"],
    succeed: ["succeed"],
  }).flatMap(([stem, forms]) => forms.map((form) => [form, stem] as const)),
);

export function porterStem(word: string): string {
  const fixed = irregular.get(word);
  if (fixed !== undefined) return fixed;
  if (word.length <= 2) return word;
  return [plural, pastOrGerund, finalY, doubleSuffix, shortSuffix, bareSuffix, finalE, finalDoubleL].reduce(
    (stem, step) => step(stem),
    word,
  );
}

/** Suffix, what replaces it, and what the rest of the word must be like. The first suffix that fits decides. */
type Rule = readonly [suffix: string, replacement: string, condition?: (stem: string) => boolean];

function applyFirst(word: string, rules: readonly Rule[]): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix));
  if (!rule) return word;
  const [suffix, replacement, condition] = rule;
  const stem = without(word, suffix);
  return !condition || condition(stem) ? stem + replacement : word;
}

const without = (word: string, suffix: string): string => word.slice(0, word.length - suffix.length);

function isConsonant(word: string, i: number): boolean {
  if ("aeiou".includes(word[i]!)) return false;
  return word[i] !== "y" || i === 0 || !isConsonant(word, i - 1);
}

/** Porter's m: how many times a vowel is followed by a consonant. */
function measure(stem: string): number {
  let count = 0;
  let previous = true;
  for (let i = 0; i < stem.length; i++) {
    const consonant = isConsonant(stem, i);
    if (consonant && !previous) count++;
    previous = consonant;
  }
  return count;
}

const hasSyllable = (stem: string): boolean => measure(stem) > 0;
const hasTwoSyllables = (stem: string): boolean => measure(stem) > 1;

function hasVowel(stem: string): boolean {
  for (let i = 0; i < stem.length; i++) if (!isConsonant(stem, i)) return true;
  return false;
}

function endsInDoubleConsonant(word: string): boolean {
  const last = word.length - 1;
  return last >= 1 && word[last] === word[last - 1] && isConsonant(word, last);
}

/** Consonant, vowel, consonant other than w, x, y; or a whole word of vowel and consonant. */
function endsInShortSyllable(word: string): boolean {
  const last = word.length - 1;
  if (last === 1) return !isConsonant(word, 0) && isConsonant(word, 1);
  return (
    last >= 2 &&
    isConsonant(word, last - 2) &&
    !isConsonant(word, last - 1) &&
    isConsonant(word, last) &&
    !"wxy".includes(word[last]!)
  );
}

/** Step 1a. */
function plural(word: string): string {
  if (word.length === 4 && word.endsWith("ies")) return `${without(word, "ies")}ie`;
  return applyFirst(word, [
    ["sses", "ss"],
    ["ies", "i"],
    ["ss", "ss"],
    ["s", ""],
  ]);
}

/** Step 1b. */
function pastOrGerund(word: string): string {
  if (word.endsWith("ied")) return without(word, "ied") + (word.length === 4 ? "ie" : "i");
  if (word.endsWith("eed")) return applyFirst(word, [["eed", "ee", hasSyllable]]);
  const suffix = ["ed", "ing"].find((ending) => word.endsWith(ending) && hasVowel(without(word, ending)));
  if (suffix === undefined) return word;
  const stem = without(word, suffix);
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (endsInDoubleConsonant(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem) === 1 && endsInShortSyllable(stem) ? `${stem}e` : stem;
}

/** Step 1c. */
const finalY = (word: string): string =>
  applyFirst(word, [["y", "i", (stem) => stem.length > 1 && isConsonant(stem, stem.length - 1)]]);

/** Step 2. */
function doubleSuffix(word: string): string {
  if (word.endsWith("alli") && hasSyllable(without(word, "alli"))) return doubleSuffix(without(word, "li"));
  return applyFirst(word, [
    ["ational", "ate", hasSyllable],
    ["tional", "tion", hasSyllable],
    ["enci", "ence", hasSyllable],
    ["anci", "ance", hasSyllable],
    ["izer", "ize", hasSyllable],
    ["bli", "ble", hasSyllable],
    ["alli", "al", hasSyllable],
    ["entli", "ent", hasSyllable],
    ["eli", "e", hasSyllable],
    ["ousli", "ous", hasSyllable],
    ["ization", "ize", hasSyllable],
    ["ation", "ate", hasSyllable],
    ["ator", "ate", hasSyllable],
    ["alism", "al", hasSyllable],
    ["iveness", "ive", hasSyllable],
    ["fulness", "ful", hasSyllable],
    ["ousness", "ous", hasSyllable],
    ["aliti", "al", hasSyllable],
    ["iviti", "ive", hasSyllable],
    ["biliti", "ble", hasSyllable],
    ["fulli", "ful", hasSyllable],
    // the l counts as part of the stem here, as NLTK has it
    ["logi", "log", (stem) => hasSyllable(`${stem}l`)],
  ]);
}

/** Step 3. */
const shortSuffix = (word: string): string =>
  applyFirst(word, [
    ["icate", "ic", hasSyllable],
    ["ative", "", hasSyllable],
    ["alize", "al", hasSyllable],
    ["iciti", "ic", hasSyllable],
    ["ical", "ic", hasSyllable],
    ["ful", "", hasSyllable],
    ["ness", "", hasSyllable],
  ]);

/** Step 4. */
const bareSuffix = (word: string): string =>
  applyFirst(word, [
    ["al", "", hasTwoSyllables],
    ["ance", "", hasTwoSyllables],
    ["ence", "", hasTwoSyllables],
    ["er", "", hasTwoSyllables],
    ["ic", "", hasTwoSyllables],
    ["able", "", hasTwoSyllables],
    ["ible", "", hasTwoSyllables],
    ["ant", "", hasTwoSyllables],
    ["ement", "", hasTwoSyllables],
    ["ment", "", hasTwoSyllables],
    ["ent", "", hasTwoSyllables],
    ["ion", "", (stem) => hasTwoSyllables(stem) && /[st]$/.test(stem)],
    ["ou", "", hasTwoSyllables],
    ["ism", "", hasTwoSyllables],
    ["ate", "", hasTwoSyllables],
    ["iti", "", hasTwoSyllables],
    ["ous", "", hasTwoSyllables],
    ["ive", "", hasTwoSyllables],
    ["ize", "", hasTwoSyllables],
  ]);

/** Step 5a. */
const finalE = (word: string): string =>
  applyFirst(word, [["e", "", (stem) => hasTwoSyllables(stem) || (measure(stem) === 1 && !endsInShortSyllable(stem))]]);

/** Step 5b. */
const finalDoubleL = (word: string): string =>
  word.endsWith("ll") && hasTwoSyllables(word.slice(0, -1)) ? word.slice(0, -1) : word;
