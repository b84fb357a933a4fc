import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { sessionSlots } from "../../evals/session-slots.ts";

test("no more than the limit at once, first come first served, and a session that throws gives its place back", async () => {
  const slots = sessionSlots(2);
  const began: number[] = [];
  let open = 0;
  let most = 0;
  const session = (n: number) =>
    slots.run(async () => {
      began.push(n);
      most = Math.max(most, ++open);
      await setImmediate();
      open--;
      if (n % 2 === 0) throw new Error(`session ${n}`);
      return n;
    });
  const results = await Promise.allSettled([0, 1, 2, 3, 4, 5].map(session));
  expect(began).toEqual([0, 1, 2, 3, 4, 5]);
  expect(most).toBe(2);
  expect(results.map((result) => (result.status === "fulfilled" ? result.value : result.reason.message))).toEqual([
    "session 0",
    1,
    "session 2",
    3,
    "session 4",
    5,
  ]);
  expect(await session(7)).toBe(7);
});
