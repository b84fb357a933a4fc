/** umagraph diff of two training runs: identical metrics, or the first update and field that differ. */
import { exitCodes } from "../../base/errors.ts";
import { printable } from "../../evals/reports/display-width.ts";
import { whole } from "../../evals/reports/format-number.ts";
import { compareTrainings, type TrainingDifference } from "../../trainers/diff/compare-trainings.ts";
import type { Terminal } from "../terminal.ts";

/** 0 when identical, 1 when not. */
export function diffTrainings(a: string, b: string, options: { most: number; terminal: Terminal }): number {
  const { most, terminal } = options;
  const { identical, differences, compared, settings, notes } = compareTrainings(a, b);
  const what = `${count(compared.updates, "update")}, ${count(compared.evaluations, "evaluation")}`;
  const [first] = differences;
  if (first === undefined) terminal.print(`identical metrics: ${what}`);
  else {
    terminal.print(`different metrics: the first difference ${placeOf(first, a, b)} (compared: ${what})`);
    if (first.field !== "") {
      terminal.print(`  a: ${shown(first.a)}`);
      terminal.print(`  b: ${shown(first.b)}`);
    }
  }
  if (settings.length > 0) terminal.print("begun with other settings:");
  for (const { field, a, b } of settings.slice(0, most))
    terminal.print(`  ${printable(field)}: ${cut(shown(a))}, ${cut(shown(b))}`);
  const left = settings.length - most;
  if (left > 0) terminal.print(`  and ${whole(left)} more`);
  for (const note of notes) terminal.print(`note: ${note}`);
  terminal.result({
    identical,
    a,
    b,
    compared,
    total: differences.length,
    first: first ?? null,
    differences: differences.slice(0, most),
    settings,
    notes,
  });
  return identical ? exitCodes.ok : exitCodes.failure;
}

function placeOf({ file, update, field, a: inA }: TrainingDifference, a: string, b: string): string {
  const what = file === "metrics.jsonl" ? `update ${update}` : `the evaluation after update ${update}`;
  return field === ""
    ? `is ${what}, which only ${inA === undefined ? b : a} has`
    : `is in ${what}, ${printable(field)}`;
}

const shown = (value: unknown) => (value === undefined ? "(nothing)" : printable(JSON.stringify(value)));

/** A whole part of a recipe that only one has is told by how it begins. */
const cut = (text: string) => (text.length <= longest ? text : `${text.slice(0, longest)}…`);
const longest = 40;

const count = (n: number, word: string) => `${whole(n)} ${word}${n === 1 ? "" : "s"}`;
