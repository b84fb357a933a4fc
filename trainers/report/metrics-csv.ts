/**
 * A training run as flat CSV, for a spreadsheet, MLflow, W&B or a notebook: one row per update, one column per number.
 *
 * Nested names are joined by dots, `reward.memory`, `habits.miss.rate`; the numbers of an update's optimiser steps are their
 * means. Evaluations stand in the row of the update after which they were made, as `evaluation.…`; the one before training
 * has row 0. A value that is not there leaves its cell empty, and one that is nowhere has no column.
 */
import type { TrainingLog } from "./read-training.ts";

export function metricsCsv({ metrics, evaluations, timing }: TrainingLog): string {
  const rows = new Map<number, Map<string, number | null>>();
  const put = (update: number, prefix: string, value: unknown) => {
    const row = rows.get(update) ?? new Map<string, number | null>();
    rows.set(update, row);
    for (const [name, number] of numbersIn(value, prefix)) row.set(name, number);
  };
  for (const { update, steps, ...line } of metrics) {
    put(update, "", line);
    put(update, "steps", { count: steps.length });
    const names = [...new Set(steps.flatMap((step) => Object.keys(step)))] as (keyof (typeof steps)[number])[];
    for (const name of names) {
      const values = steps.flatMap((step) => step[name] ?? []);
      put(
        update,
        `steps.${name}`,
        values.length === 0 ? null : values.reduce((sum, one) => sum + one, 0) / values.length,
      );
    }
  }
  for (const { update, ...line } of evaluations) put(update, "evaluation", line);
  for (const { update, ...line } of timing) put(update, "timing", line);

  const measured = [...rows.values()].flatMap((row) =>
    [...row].flatMap(([name, value]) => (value === null ? [] : [name])),
  );
  const names = [...new Set(measured)].sort();
  const lines = [...rows]
    .sort(([a], [b]) => a - b)
    .map(([update, row]) => [update, ...names.map((name) => row.get(name) ?? "")].join(","));
  return `${[["update", ...names].map(quoted).join(","), ...lines].join("\n")}\n`;
}

/** Numbers and nulls in it, by their path; texts and lists are left out. */
function numbersIn(value: unknown, path: string): [string, number | null][] {
  if (typeof value === "number" || value === null) return path === "" ? [] : [[path, value]];
  if (typeof value !== "object" || value === undefined || Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([key, inner]) => numbersIn(inner, path === "" ? key : `${path}.${key}`));
}

const quoted = (name: string) => (/[",\n]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name);
