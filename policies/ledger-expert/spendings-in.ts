/** The expenses that passages of dialogue add up to, for a prompt that gives passages in the place of a bank. */
import { applyChange } from "./apply-change.ts";
import { readSessions } from "./read-sessions.ts";
import type { Spending } from "./spending.ts";

/** Sessions in the order of their dates. What the passages do not show is not there: the result is as good as they are. */
export function spendingsIn(passages: string): Spending[] {
  const sessions = [...(readSessions(passages) ?? [])].sort((a, b) => (a.date < b.date ? -1 : a.date > b.date ? 1 : 0));
  const days = new Map<string, Spending[]>();
  for (const { date, spendings, changes } of sessions) {
    if (spendings.length > 0) days.set(date, [...(days.get(date) ?? []), ...spendings]);
    for (const change of changes) {
      const day = days.get(change.date);
      const changed = day && applyChange(day, change);
      if (changed) days.set(change.date, changed);
    }
  }
  return [...days.values()].flat();
}
