/**
 * Surface forms: sentences with slots such as `{amount}` or `{item}`, of which a part is held out from training.
 *
 * `micro` forms serve both profiles, `full` forms the full profile only. The train split never uses a held-out form; the
 * test split uses both kinds, so a score on it shows whether wording was learnt or understood.
 */
export type Profile = "micro" | "full";
export type Split = "train" | "test";

export interface FormSet {
  readonly micro: readonly string[];
  readonly microHeldOut: readonly string[];
  readonly full: readonly string[];
  readonly fullHeldOut: readonly string[];
}

export interface Wording {
  readonly profile: Profile;
  readonly split: Split;
}

export const heldOut = (set: FormSet): readonly string[] => [...set.microHeldOut, ...set.fullHeldOut];
export const allForms = (set: FormSet): readonly string[] => [...set.micro, ...set.full, ...heldOut(set)];

/** The forms a context may use. */
export function formsFor(set: FormSet, { profile, split }: Wording): readonly string[] {
  const seen = profile === "micro" ? set.micro : [...set.micro, ...set.full];
  if (split === "train") return seen;
  return [...seen, ...(profile === "micro" ? set.microHeldOut : heldOut(set))];
}

/** Fills every slot and starts the sentence with a capital; a slot without a value throws, so no brace ever gets out. */
export function fill(form: string, slots: Readonly<Record<string, string>>): string {
  const text = form.replace(/\{(\w+)\}/g, (_, slot: string) => {
    const value = slots[slot];
    if (value === undefined) throw new RangeError(`fill: no value for {${slot}} in ${JSON.stringify(form)}`);
    return value;
  });
  return text.charAt(0).toUpperCase() + text.slice(1);
}
