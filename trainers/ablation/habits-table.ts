/** What the cells of an ablation taught, as Markdown: a row a habit, a column a cell. A score alone hides a habit that was lost. */
import { habits } from "../habits/catalog.ts";
import { pooledHabits } from "./pooled-habits.ts";
import type { AblationSummary } from "./summarise-ablation.ts";

/** Empty when no evaluation has habits. */
export function habitsTable({ cells }: AblationSummary): string {
  const done = cells.filter(({ seeds }) => seeds.length > 0);
  const before = pooledHabits(done.map((cell) => cell.habits.before));
  const rows = habits.flatMap(({ name, label, good }) => {
    const values = [before[name], ...done.map((cell) => cell.habits.after[name])];
    if (!values.some((value) => value && value.rate !== null && value.rate > 0)) return [];
    const better = good === null ? "" : good === "low" ? " ↓" : " ↑";
    return [`| ${label}${better} | ${values.map((value) => share(value?.rate ?? null)).join(" | ")} |`];
  });
  if (rows.length === 0) return "";
  return [
    "Habits of the sampled held-out sessions, as shares of their occasions (bank growth: entries a session), seeds pooled; the arrow says which way is better.",
    "",
    `| habit | before | ${done.map(({ cell }) => cell).join(" | ")} |`,
    `|---|---|${done.map(() => "---|").join("")}`,
    ...rows,
    "",
  ].join("\n");
}

const share = (value: number | null) => (value === null ? "–" : value.toFixed(3).replace(/^0\./, "."));
