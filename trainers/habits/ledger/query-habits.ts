/** How an answering session puts its question to `ledger_aggregate`: dates, operation, categories. */
import type { Query, QuestionType } from "../../../evals/benchmarks/ledger-qa/questions.ts";
import type { SessionRecord } from "../../../nodes/session/record.ts";
import type { Tally } from "../habit.ts";

const needs: Readonly<Record<QuestionType, readonly [operation: string, group?: string]>> = {
  time_range_scene_amount: ["sum"],
  time_range_multiple_scenes_amount: ["sum"],
  time_range_total_amount: ["sum"],
  max_scene: ["sum", "scene"],
  max_frequency_date: ["count", "date"],
  max_single_amount: ["max"],
  single_date_scene_amount: ["sum"],
  total_amount: ["sum"],
  single_date_subscene_amount: ["sum"],
};

/** The last query that was answered counts, or the last one at all; none, no occasion. */
export function countQueryHabits({ calls }: Pick<SessionRecord, "calls">, query: Query, tally: Tally): void {
  const made = calls.filter(({ name, args }) => name === "ledger_aggregate" && args !== null);
  const args = (made.findLast(({ verdict }) => verdict === "valid" || verdict === "repaired") ?? made.at(-1))?.args;
  if (!args) return;
  countRange(args, query, tally);

  const [operation, group] = needs[query.type];
  tally.count("wrongOperation", args.operation !== operation || (args.group_by ?? undefined) !== group);

  const given = new Set(namesIn(args.scenes));
  const wanted = query.scenes.map(fold);
  if (wanted.length > 1)
    tally.count(
      "categoriesIncomplete",
      wanted.some((scene) => !given.has(scene)),
    );
  const [subscene] = namesIn(args.sub_scene);
  const other = [...given].some((scene) => !wanted.includes(scene)) || subscene !== namesIn(query.subscene)[0];
  // a sub-scene has one scene, so that it alone is enough
  const left = wanted.length === 1 && given.size === 0 && query.subscene === undefined;
  tally.count("categoriesWrong", other || left);
}

function countRange({ from, to }: Readonly<Record<string, unknown>>, { dates }: Query, tally: Tally): void {
  const [first, last = first] = dates;
  const [hasFrom, hasTo] = [typeof from === "string", typeof to === "string"];
  if (first !== undefined) tally.count("rangeMissing", !hasFrom || !hasTo);
  // where no dates are asked for, one end is a range already
  if (first === undefined ? hasFrom || hasTo : hasFrom && hasTo)
    tally.count("rangeWrong", from !== first || to !== last);
}

const namesIn = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((name) => (typeof name === "string" ? [fold(name)] : []));

const fold = (name: string) => name.trim().toLowerCase();
