/**
 * A range of days as few entries: whole years, months and five-day groups, with the rest taken off where that is shorter.
 *
 * From January to November is the year less December. Sums can be taken off; a largest expense cannot, but each entry
 * holds those of the periods right below it, so for that the entries at the two ends of the range are enough.
 */
import { type Group, readGroup, readSummary } from "./pages.ts";
import { allYears, childNamed, type Period } from "./periods.ts";
import type { Query } from "./read-query.ts";
import type { Scene } from "./taxonomy.ts";

export type Range = NonNullable<Query["range"]>;

/** One entry's part in a sum: the whole of it, or only some days of a group. */
export interface Piece {
  readonly period: Period;
  readonly sign: 1 | -1;
  /** Days of the group inside (or outside) the range; null for the whole period. */
  readonly days: "inside" | "outside" | null;
}

/** `childrenOf`: the periods right below that have an entry. */
export function piecesOf(range: Range, childrenOf: (period: Period) => readonly Period[]): readonly Piece[] {
  const cover = (period: Period, side: "inside" | "outside"): Piece[] => {
    const place = placeOf(period, range);
    if (place !== "across") return place === side ? [{ period, sign: 1, days: null }] : [];
    if (period.kind === "group") return [{ period, sign: 1, days: side }];
    const direct = childrenOf(period).flatMap((child) => cover(child, side));
    const rest = childrenOf(period).flatMap((child) => cover(child, side === "inside" ? "outside" : "inside"));
    if (direct.length <= rest.length + 1) return direct;
    return [
      { period, sign: 1, days: null },
      ...rest.map((piece): Piece => ({ ...piece, sign: piece.sign === 1 ? -1 : 1 })),
    ];
  };
  return cover(allYears, "inside");
}

export function placeOf(period: Pick<Period, "from" | "to">, range: Range): "inside" | "outside" | "across" {
  if (period.to < range.from || period.from > range.to) return "outside";
  return period.from >= range.from && period.to <= range.to ? "inside" : "across";
}

/** Totals per scene; a scene without expenses in the range is left out. */
export function totalsIn(
  pieces: readonly Piece[],
  range: Range,
  contentOf: (period: Period) => string,
): ReadonlyMap<Scene, number> {
  const totals = new Map<Scene, number>();
  for (const { period, sign, days } of pieces) {
    const content = contentOf(period);
    const parts =
      period.kind === "group"
        ? daysOf(readGroup(content), period)
            .filter(({ date }) => days === null || (date >= range.from && date <= range.to) === (days === "inside"))
            .map(({ row }) => row.totals)
        : [readSummary(content).totals];
    for (const part of parts)
      for (const [scene, cents] of part) totals.set(scene, (totals.get(scene) ?? 0) + sign * cents);
  }
  for (const [scene, cents] of totals) if (cents === 0) totals.delete(scene);
  return totals;
}

/** The entries that hold the largest expense of the range: all years, and every period that lies across one of its ends. */
export function endsOf(range: Range, childrenOf: (period: Period) => readonly Period[]): readonly Period[] {
  const across = (period: Period): Period[] => [
    period,
    ...childrenOf(period)
      .filter((child) => placeOf(child, range) === "across")
      .flatMap(across),
  ];
  return across(allYears);
}

/** null when the range holds no expense. */
export function largestIn(range: Range, contentOf: (period: Period) => string | null): number | null {
  const largest = (period: Period): number[] => {
    const content = contentOf(period);
    if (content === null) return [];
    if (period.kind === "group")
      return daysOf(readGroup(content), period).flatMap(({ date, row }) =>
        date >= range.from && date <= range.to ? [row.largest] : [],
      );
    return [...readSummary(content).largest].flatMap(([key, cents]) => {
      const child = childNamed(period, key);
      const place = placeOf(child, range);
      return place === "inside" ? [cents] : place === "outside" ? [] : largest(child);
    });
  };
  const found = largest(allYears);
  return found.length === 0 ? null : Math.max(...found);
}

const daysOf = (group: Group, { from }: Period) =>
  [...group].map(([day, row]) => ({ date: `${from.slice(0, 8)}${day}`, row }));
