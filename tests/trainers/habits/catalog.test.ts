import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { habits, ledgerHabits, sessionHabits } from "../../../trainers/habits/catalog.ts";

it("every habit is on the page about training runs, with what counts and which way is good", () => {
  const page = readFileSync(join(resolve(import.meta.dirname, "../../.."), "docs/training-report.md"), "utf8");
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.+) \| (low|high|–) \|$/gm)].map((row) => row.slice(1));
  expect(rows).toEqual([...sessionHabits, ...ledgerHabits].map(({ name, help, good }) => [name, help, good ?? "–"]));
});

it("habits have names and labels of their own", () => {
  expect(new Set(habits.map(({ name }) => name)).size).toBe(habits.length);
  expect(new Set(habits.map(({ label }) => label)).size).toBe(habits.length);
});
