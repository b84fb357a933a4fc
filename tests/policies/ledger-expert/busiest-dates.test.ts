import { expect, it } from "vitest";
import {
  type Busiest,
  printBusiest,
  readBusiest,
  topDates,
  withCount,
} from "../../../policies/ledger-expert/busiest-dates.ts";

const dateOf = (n: number) => `2024-01-${String(n).padStart(2, "0")}`;
const counted = (...counts: readonly [day: number, count: number][]) =>
  counts.reduce<Busiest | undefined>((before, [day, count]) => withCount(before, dateOf(day), count), undefined);

it("gives every date that is tied for the largest count, sorted", () => {
  expect(topDates(counted([9, 1], [3, 2], [5, 2]))).toEqual([dateOf(3), dateOf(5)]);
  expect(topDates(counted([9, 1], [3, 2], [3, 1]))).toEqual([dateOf(3), dateOf(9)]);
  expect(topDates(counted([3, 1], [3, 0]))).toEqual([]);
  expect(topDates(undefined)).toEqual([]);
});

it("keeps twelve dates, drops the smallest counts beyond that, and never names a wrong one", () => {
  const twelve = Array.from({ length: 12 }, (_, i): [number, number] => [i + 1, 1]);
  expect(topDates(counted(...twelve))).toHaveLength(12);
  const thirteen = counted(...twelve, [13, 1]);
  expect(topDates(thirteen)).toBeNull();
  expect(topDates(withCount(thirteen, dateOf(4), 2))).toEqual([dateOf(4)]);
  expect(topDates(withCount(withCount(thirteen, dateOf(4), 2), dateOf(4), 1))).toBeNull();
});

it("reads back what it prints", () => {
  const byScene = new Map([
    ["Dining", counted(...Array.from({ length: 13 }, (_, i): [number, number] => [i + 1, i < 2 ? 3 : 1]))!],
    ["Other", counted([7, 2], [8, 1])!],
  ] as const);
  const text = printBusiest(byScene);
  expect(text).toBe(
    "Dining: 3 on 2024-01-01, 2024-01-02; fewer than 2 not listed\nOther: 2 on 2024-01-07; 1 on 2024-01-08",
  );
  expect(printBusiest(readBusiest(text))).toBe(text);
});
