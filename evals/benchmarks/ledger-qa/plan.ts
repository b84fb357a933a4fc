/**
 * Draws what happens on each date: intents, amounts, corrections, edits, refunds (UMA §3.1, stages 1 and 2).
 *
 * A context has a few favourite sub-scenes that come back on many dates, so an answer that leaves out the date range is
 * wrong. References are unique by construction: all amounts ever told for one sub-scene on one date differ, and
 * wherever that date saw the sub-scene more than once, the act is `ambiguous` and names the standing amount.
 */
import type { Rng } from "../../../base/rng.ts";
import type { Act, CorrectAct, EditAct, PlannedSession, RefundAct, SpendAct } from "./acts.ts";
import type { Wording } from "./forms/form.ts";
import { itemPhrases } from "./items.ts";
import { drawUnused, mistake, naturalPrice } from "./prices.ts";
import { labelOf, type Subscene, subscenes } from "./taxonomy.ts";

export interface PlanOptions extends Wording {
  readonly dates: readonly string[];
  /** Most transactions that one session records. */
  readonly maxTransactions: number;
  /** Chance that a session changes what an earlier one recorded; null for the profile's own. */
  readonly changes: number | null;
  /** Chance that an amount is put right in the session that tells it; null for the usual one. */
  readonly corrections: number | null;
  /** The choices of one session. */
  readonly random: (session: number) => Rng;
  /** The choices that hold for the whole context. */
  readonly habits: Rng;
}

const favouriteCount = 6;
const favouriteShare = 0.5;
/** Full profile: the same sub-scene twice in one session. */
const repeatShare = 0.12;
const correctionShare = 0.15;
const maxCorrections = 3;
/** Chances of a change of an earlier day, one draw each. */
const changeShares = { micro: [0.25], full: [0.4, 0.3] } as const;
const editShare = 0.6;
const fullRefundShare = 0.5;
/** Half of the changes go to one of the last twenty transactions, the other half to any. */
const recentShare = 0.5;
const recentCount = 20;
const styleShares = {
  micro: { label: 0.1, split: 0.15, pair: 0.15, list: 0 },
  full: { label: 0.08, split: 0.15, pair: 0.2, list: 0.12 },
} as const;
const maxSplits = 2;
/** Cents that a partial refund leaves at least. */
const leastLeft = 100;

/** A transaction as it stands while the plan is made. */
interface Known {
  readonly id: string;
  readonly date: string;
  readonly subscene: Subscene;
  readonly item: string;
  readonly cents: number;
  /** Every amount told for this sub-scene on this date, shared by all its transactions of that date. */
  readonly told: Set<number>;
  readonly ambiguous: boolean;
}

export function planSessions(options: PlanOptions): PlannedSession[] {
  const favourites = options.habits.sample(subscenes, favouriteCount);
  const known: Known[] = [];
  return options.dates.map((date, session) => {
    const random = options.random(session);
    const changes = planChanges(known, options, random);
    const entries = planEntries(date, session, favourites, options, random);
    const spending = planSpending(entries, options, random);
    const words = new Map(spending.flatMap((act) => act.entries.map(({ id, item }) => [id, item])));
    const spent = entries.map((entry) => ({ ...entry, item: words.get(entry.id)! }));
    const corrections = planCorrections(spent, spending, options, random);
    const corrected = new Map(corrections.map(({ id, after }) => [id, after]));
    known.push(...spent.map((entry) => ({ ...entry, cents: corrected.get(entry.id) ?? entry.cents })));
    return { date, acts: arrange(spending, corrections, changes, random) };
  });
}

/** Edits and refunds of what earlier sessions recorded; brings `known` up to date. */
function planChanges(known: Known[], { profile, changes }: PlanOptions, random: Rng): (EditAct | RefundAct)[] {
  const acts: (EditAct | RefundAct)[] = [];
  for (const share of changes === null ? changeShares[profile] : [changes]) {
    if (random.next() >= share || known.length === 0) continue;
    const oldest = random.next() < recentShare ? Math.max(0, known.length - recentCount) : 0;
    const at = random.int(oldest, known.length - 1);
    const target = known[at]!;
    if (acts.some(({ id }) => id === target.id)) continue;
    const act = planChange(target, random);
    acts.push(act);
    if (act.after === null) known.splice(at, 1);
    else known[at] = { ...target, cents: act.after };
  }
  return acts;
}

function planChange({ id, date, item, cents, told, ambiguous }: Known, random: Rng): EditAct | RefundAct {
  const about = { id, date, item, before: cents, ambiguous };
  const kind = random.next() < editShare ? "edit" : "refund";
  const all = random.next() < fullRefundShare || cents < 2 * leastLeft;
  if (kind === "refund" && all) return { ...about, kind, after: null };
  const after = drawUnused(() => (kind === "edit" ? mistake(cents, random) : cents - partOf(cents, random)), told);
  told.add(after);
  return after < cents ? { ...about, kind, after } : { ...about, kind: "edit", after };
}

/** Part of an amount that comes back: mostly whole units, and at least `leastLeft` stays. */
function partOf(cents: number, random: Rng): number {
  const most = cents - leastLeft;
  if (most >= 200 && random.next() < 0.6) return random.int(1, Math.floor(most / 100)) * 100;
  return random.int(25, most);
}

function planEntries(
  date: string,
  session: number,
  favourites: readonly Subscene[],
  { profile, split, maxTransactions }: PlanOptions,
  random: Rng,
): Known[] {
  const chosen: Subscene[] = [];
  const count = random.int(1, maxTransactions);
  while (chosen.length < count) {
    const repeats = profile === "full" && chosen.length > 0 && random.next() < repeatShare;
    if (repeats) chosen.push(random.pick(chosen));
    else {
      const pool = random.next() < favouriteShare ? favourites : subscenes;
      const fresh = pool.filter((subscene) => !chosen.includes(subscene));
      chosen.push(random.pick(fresh.length > 0 ? fresh : subscenes.filter((subscene) => !chosen.includes(subscene))));
    }
  }
  const told = new Map(chosen.map((subscene) => [subscene, new Set<number>()]));
  return chosen.map((subscene, index) => {
    const amounts = told.get(subscene)!;
    const cents = drawUnused(() => naturalPrice(subscene, random), amounts);
    amounts.add(cents);
    return {
      id: `t${session + 1}.${index + 1}`,
      date,
      subscene,
      item: random.pick(itemPhrases(subscene, profile, split)),
      cents,
      told: amounts,
      ambiguous: chosen.filter((other) => other === subscene).length > 1,
    };
  });
}

/** Puts the entries into lines of one, two or three. */
function planSpending(entries: readonly Known[], { profile }: PlanOptions, random: Rng): SpendAct[] {
  const shares = styleShares[profile];
  const acts: SpendAct[] = [];
  let at = 0;
  while (at < entries.length) {
    const left = entries.length - at;
    let draw = random.next();
    const hit = (share: number) => {
      const inside = draw < share;
      draw -= share;
      return inside;
    };
    let style: SpendAct["style"] = "single";
    if (hit(shares.label)) style = "label";
    else if (hit(shares.split) && acts.filter((act) => act.style === "split").length < maxSplits) style = "split";
    else if (hit(shares.pair) && left >= 2) style = "pair";
    else if (hit(shares.list) && left >= 3) style = "list";
    const size = style === "pair" ? 2 : style === "list" ? 3 : 1;
    acts.push({
      kind: "spend",
      style,
      entries: entries.slice(at, at + size).map(({ id, subscene, item, cents }) => ({
        id,
        subscene,
        item: style === "label" ? labelOf(subscene) : item,
        cents,
      })),
    });
    at += size;
  }
  return acts;
}

/** Amounts that were said wrong and are put right in the same session. */
function planCorrections(
  entries: readonly Known[],
  spending: readonly SpendAct[],
  { corrections: share }: PlanOptions,
  random: Rng,
): CorrectAct[] {
  const corrections: CorrectAct[] = [];
  for (const { id, date, item, cents, told, ambiguous } of entries) {
    if (random.next() >= (share ?? correctionShare) || corrections.length === maxCorrections) continue;
    const after = drawUnused(() => mistake(cents, random), told);
    told.add(after);
    const alone = spending.some((act) => act.entries.length === 1 && act.entries[0]!.id === id);
    const immediate = alone && random.next() < 0.5;
    corrections.push({ kind: "correct", id, date, item, before: cents, after, ambiguous, immediate });
  }
  return corrections;
}

/** Any order in which a correction follows its spending, an immediate one directly. */
function arrange(
  spending: readonly SpendAct[],
  corrections: readonly CorrectAct[],
  changes: readonly Act[],
  random: Rng,
): Act[] {
  const states = (act: Act, id: string) => act.kind === "spend" && act.entries.some((entry) => entry.id === id);
  const units: Act[][] = random
    .shuffle<Act>([...spending, ...changes])
    .map((act) => [act, ...corrections.filter(({ immediate, id }) => immediate && states(act, id))]);
  for (const correction of corrections.filter(({ immediate }) => !immediate)) {
    const stated = units.findIndex((unit) => states(unit[0]!, correction.id));
    units.splice(random.int(stated + 1, units.length), 0, [correction]);
  }
  return units.flat();
}
