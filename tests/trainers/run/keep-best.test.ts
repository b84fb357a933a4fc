import { expect, it } from "vitest";
import { bestOf } from "../../../trainers/run/keep-best.ts";
import type { Best } from "../../../trainers/run/state.ts";

const evaluated = (update: number, score: number | null) => ({
  ...{ update, score },
  weights: { update, source: `w${update}`, version: `v${update}`, folder: null },
});
const best = evaluated(10, 0.5) as Best;

it("the best is the higher score; a tie stays with the earlier, and without a score nothing changes", () => {
  expect(bestOf(null, evaluated(0, 0))).toEqual(evaluated(0, 0));
  expect(bestOf(best, evaluated(20, 0.6))).toEqual(evaluated(20, 0.6));
  expect(bestOf(best, evaluated(20, 0.5))).toBe(best);
  expect(bestOf(best, evaluated(20, 0.4))).toBe(best);
  expect(bestOf(best, evaluated(20, null))).toBe(best);
  expect(bestOf(null, evaluated(0, null))).toBeNull();
});

it("an evaluation made again after a crash is kept again, since its copy may be torn", () => {
  const again = bestOf(best, evaluated(10, 0.5));
  expect(again).toEqual(best);
  expect(again).not.toBe(best);
});
