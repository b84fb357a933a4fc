/** Natural amounts: what a thing usually costs, and how people get an amount wrong. Integer cents. */
import type { Rng } from "../../../base/rng.ts";
import { items } from "./items.ts";
import type { Subscene } from "./taxonomy.ts";

const priceEndings = [99, 95, 90, 75, 25, 20, 10, 5] as const;

/** A price within the sub-scene's usual range: four in ten whole, two in ten .50, the rest with other cents. */
export function naturalPrice(subscene: Subscene, random: Rng): number {
  const [low, high] = items[subscene].price;
  const whole = random.int(low, high);
  const shape = random.next();
  if (shape < 0.4) return (whole >= 200 && shape < 0.2 ? Math.round(whole / 10) * 10 : whole) * 100;
  if (shape < 0.6) return whole * 100 + 50;
  if (shape < 0.8) return whole * 100 + random.pick(priceEndings);
  return whole * 100 + random.int(1, 99);
}

/** Another amount that could be mistaken for this one: digits swapped, one digit changed, the cents off. At least 1.00. */
export function mistake(cents: number, random: Rng): number {
  const digits = String(cents).split("");
  const at = random.int(0, digits.length - 2);
  const how = random.next();
  if (how < 0.4) [digits[at], digits[at + 1]] = [digits[at + 1]!, digits[at]!];
  else if (how < 0.8) digits[at] = String(random.int(1, 9));
  else return Math.floor(cents / 100) * 100 + random.pick([...priceEndings, 50, 0]);
  return Math.max(Number(digits.join("")), 100);
}

/** Draws until the amount is new, so that two amounts of one thing on one date always tell which is meant. */
export function drawUnused(draw: () => number, used: ReadonlySet<number>): number {
  for (let attempt = 0; attempt < 200; attempt++) {
    const cents = draw();
    if (!used.has(cents)) return cents;
  }
  return Math.max(...used) + 100;
}
