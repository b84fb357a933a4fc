/**
 * The dates with most expenses, scene by scene: one entry, brought up to date with every expense.
 *
 * Only the top is kept: as soon as a scene has more dates than `mostDates`, those with the smallest count are dropped and
 * the entry says from which count on it is complete.
 */
import { type Scene, scenes } from "./taxonomy.ts";

export const busiestTitle = "busiest dates";

export interface Busiest {
  /** Every date with at least this many expenses is listed. */
  readonly from: number;
  /** Expenses on each listed date. */
  readonly dates: ReadonlyMap<string, number>;
}

export type BusiestByScene = Map<Scene, Busiest>;

const mostDates = 12;
const none: Busiest = { from: 1, dates: new Map() };

/** After a date's number of expenses of this scene has become `count`. */
export function withCount(before: Busiest = none, date: string, count: number): Busiest {
  const dates = new Map(before.dates);
  let { from } = before;
  if (count < from) dates.delete(date);
  else dates.set(date, count);
  while (dates.size > mostDates) {
    from = Math.min(...dates.values()) + 1;
    for (const [listed, times] of dates) if (times < from) dates.delete(listed);
  }
  return { from, dates };
}

/** The dates with the largest count, sorted; null when they are not among those kept. */
export function topDates({ from, dates }: Busiest = none): string[] | null {
  if (dates.size === 0) return from === 1 ? [] : null;
  const most = Math.max(...dates.values());
  return [...dates].flatMap(([date, count]) => (count === most ? [date] : [])).sort();
}

/** `Dining: 3 on 2024-06-01; 2 on 2024-04-05, 2024-05-09; fewer than 2 not listed` */
export function printBusiest(byScene: BusiestByScene): string {
  const lines = scenes.flatMap((scene) => {
    const busiest = byScene.get(scene);
    return busiest && (busiest.from > 1 || busiest.dates.size > 0) ? [`${scene}: ${printOne(busiest)}`] : [];
  });
  return lines.join("\n") || "no expenses";
}

function printOne({ from, dates }: Busiest): string {
  const levels = new Map<number, string[]>();
  for (const [date, count] of dates) levels.set(count, [...(levels.get(count) ?? []), date]);
  const parts = [...levels]
    .sort(([a], [b]) => b - a)
    .map(([count, listed]) => `${count} on ${listed.sort().join(", ")}`);
  return [...parts, ...(from > 1 ? [`fewer than ${from} not listed`] : [])].join("; ");
}

export function readBusiest(content: string): BusiestByScene {
  const byScene: BusiestByScene = new Map();
  for (const line of content.split("\n")) {
    const colon = line.indexOf(": ");
    const scene = scenes.find((name) => name === line.slice(0, colon));
    if (!scene) continue;
    const dates = new Map<string, number>();
    let from = 1;
    for (const part of line.slice(colon + 2).split("; ")) {
      const level = /^(\d+) on (.+)$/.exec(part);
      if (level) for (const date of level[2]!.split(", ")) dates.set(date, Number(level[1]));
      else from = Number(/^fewer than (\d+)/.exec(part)?.[1] ?? from);
    }
    byScene.set(scene, { from, dates });
  }
  return byScene;
}
