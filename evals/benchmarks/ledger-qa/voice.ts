/** How one session speaks: its forms, its spellings of amounts and dates, and what it already said. */
import type { Rng } from "../../../base/rng.ts";
import { spellAmount, spellDate } from "./amount-forms.ts";
import { type FormSet, fill, formsFor, type Wording } from "./forms/form.ts";
import { fillers, tails } from "./forms/frame.ts";
import { scenes } from "./taxonomy.ts";

export interface Line {
  readonly speaker: "User" | "Assistant";
  readonly text: string;
}

type Slots = Readonly<Record<string, string>>;

export interface Voice extends Wording {
  readonly random: Rng;
  chance(share: number): boolean;
  amount(cents: number): string;
  date(iso: string): string;
  /** A user's line from one of the set's forms; `accept` narrows them. */
  user(set: FormSet, slots: Slots, accept?: (form: string) => boolean): Line;
  assistant(set: FormSet, slots: Slots): Line;
}

const fillerShare = 0.2;
const tailShare = 0.1;
const longDateShare = 0.3;

export function createVoice(wording: Wording, random: Rng): Voice {
  const { profile } = wording;
  const chance = (share: number) => random.next() < share;
  const pick = (set: FormSet, accept: (form: string) => boolean) => random.pick(formsFor(set, wording).filter(accept));
  return {
    ...wording,
    random,
    chance,
    amount: (cents) => spellAmount(cents, profile, random),
    date: (iso) => (profile === "full" && chance(longDateShare) ? spellDate(iso) : iso),
    user(set, slots, accept = () => true) {
      const text = fill(pick(set, accept), slots);
      return { speaker: "User", text: profile === "full" ? roughen(text, random, chance) : text };
    },
    assistant: (set, slots) => ({
      speaker: "Assistant",
      text: fill(
        pick(set, () => true),
        slots,
      ),
    }),
  };
}

/** Fillers before and tails after; they carry nothing. */
function roughen(text: string, random: Rng, chance: (share: number) => boolean): string {
  const opened = chance(fillerShare) ? random.pick(fillers) + lowerFirst(text) : text;
  return chance(tailShare) ? opened + random.pick(tails) : opened;
}

/** "Had to pay" → "had to pay"; "I", acronyms and category names stay. */
function lowerFirst(text: string): string {
  const [word = ""] = text.split(/[^\p{L}]/u);
  const keeps =
    word === "I" || (word.length > 1 && word === word.toUpperCase()) || scenes.some((scene) => scene === word);
  return keeps ? text : text.charAt(0).toLowerCase() + text.slice(1);
}
