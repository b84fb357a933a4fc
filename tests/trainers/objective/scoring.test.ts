/** Old and reference log-probabilities by forward passes of our own: what goes out comes back at the right tokens. */
import { expect, it } from "vitest";
import { compile } from "../../../trainers/objective/compile.ts";
import { objectives } from "../../../trainers/objective/objectives.ts";
import { profiles } from "../../../trainers/objective/profiles.ts";
import { scoreSessions, withScores } from "../../../trainers/objective/scoring.ts";
import { forward } from "./engine.ts";
import { moved, randomTheta, sampleSessions } from "./softmax-model.ts";

const sampler = randomTheta("sampler");
const old = moved(sampler, 0.1, "old");
const ref = moved(sampler, 0.3, "ref");
const unscored = sampleSessions({ sampler, old: null, ref: null }, 3);

it("scoring by the learner and by the reference gives the sessions the log-probabilities of either", () => {
  const byLearner = withScores(unscored, "old", forward(scoreSessions(unscored, profiles.tinker), old));
  const scored = withScores(byLearner, "ref", forward(scoreSessions(byLearner, profiles.tinker), ref));
  expect(scored).toEqual(sampleSessions({ sampler, old, ref }, 3));
  expect(compile(objectives["task-stratified"], scored, profiles.embedded).mode).toBe("kl-extension");
});

it("asks for the trained tokens by weight 1, also of sessions without a signal", () => {
  const datums = [...scoreSessions(unscored, profiles.tinker).datums()];
  const parts = unscored.flatMap((session) => session.parts);
  expect(datums).toHaveLength(parts.length);
  datums.forEach((datum, i) => {
    expect([...datum.lossFnInputs.weights!]).toEqual([...parts[i]!.mask].slice(1));
  });
});

it("refuses scores of other sequences", () => {
  const scores = forward(scoreSessions(unscored, profiles.tinker), old);
  expect(() => withScores(unscored, "old", scores.slice(1))).toThrow(/expected log-probabilities of 11 datums, got 10/);
  expect(() => withScores(unscored, "old", scores.toReversed())).toThrow(
    /session s0, part 0: expected 11 log-probabilities/,
  );
});
