import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { jobQueue, type Ranked } from "../../rollouts/job-queue.ts";

const job = fc.record({ remaining: fc.integer({ min: 0, max: 4 }), order: fc.array(fc.nat(3), { maxLength: 3 }) });

/** The order by its definition: longest remaining first, then the orders as in a dictionary. */
function inOrder(one: Ranked, other: Ranked): number {
  if (one.remaining !== other.remaining) return other.remaining - one.remaining;
  const [a, b] = [one.order, other.order];
  const at = a.findIndex((rank, i) => rank !== b[i]);
  if (at < 0) return a.length - b.length;
  return at >= b.length ? 1 : a[at]! - b[at]!;
}

describe("ready sessions", () => {
  it("come out longest remaining first and in a fixed order among equals, whatever the order they went in", () => {
    fc.assert(
      fc.property(fc.array(job, { maxLength: 40 }), (jobs) => {
        const queue = jobQueue<Ranked>();
        for (const each of jobs) queue.push(each);
        expect(queue.size).toBe(jobs.length);
        const out = jobs.map(() => queue.pop()!);
        expect(out).toEqual([...jobs].sort(inOrder));
        expect([queue.pop(), queue.size]).toEqual([undefined, 0]);
      }),
    );
  });

  it("may come and go in between", () => {
    fc.assert(
      fc.property(fc.array(fc.option(job, { nil: null }), { maxLength: 60 }), (steps) => {
        const queue = jobQueue<Ranked>();
        let held: Ranked[] = [];
        for (const step of steps) {
          if (step) {
            queue.push(step);
            held = [...held, step].sort(inOrder);
          } else {
            const [first, ...rest] = held;
            expect(queue.pop()).toEqual(first);
            held = rest;
          }
          expect(queue.size).toBe(held.length);
        }
      }),
    );
  });
});
