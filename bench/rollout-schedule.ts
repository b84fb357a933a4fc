/** How long a rollout has to take: its schedule played again with given durations, and nothing between the sessions. */
import type { SessionRecord } from "../nodes/session/record.ts";

/** Of `rollouts/run-rollouts.ts`: sessions of a trajectory in order, questions after their memory, longest remaining first. */
export function makespan(
  records: readonly SessionRecord[],
  concurrency: number,
  duration: (record: SessionRecord) => number,
): number {
  const after = new Map<string, SessionRecord[]>();
  for (const record of records) {
    if (record.parent === null) continue;
    after.set(record.parent, [...(after.get(record.parent) ?? []), record]);
  }
  /** The longest chain of sessions that starts here, in sessions. */
  const remaining = new Map<string, number>();
  const rest = (record: SessionRecord): number => {
    const known = remaining.get(record.id);
    if (known !== undefined) return known;
    const longest = 1 + Math.max(0, ...(after.get(record.id) ?? []).map(rest));
    remaining.set(record.id, longest);
    return longest;
  };
  const ready = records.filter(({ parent }) => parent === null);
  const running: { readonly record: SessionRecord; readonly end: number }[] = [];
  let now = 0;
  for (;;) {
    ready.sort((one, other) => rest(other) - rest(one));
    while (running.length < concurrency && ready.length > 0) {
      const record = ready.shift()!;
      running.push({ record, end: now + duration(record) });
    }
    running.sort((one, other) => one.end - other.end);
    const next = running.shift();
    if (!next) return now;
    now = next.end;
    ready.push(...(after.get(next.record.id) ?? []));
  }
}
