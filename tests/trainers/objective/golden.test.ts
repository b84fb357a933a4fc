/** The reference against cases computed apart from it: `objective_cases.py` states the values and differentiates them in decimals. */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { clippedObjective, clippedSlope } from "../../../trainers/objective/clipped-objective.ts";
import { compile } from "../../../trainers/objective/compile.ts";
import { klEstimate, klSlope } from "../../../trainers/objective/kl.ts";
import { logprobGradient } from "../../../trainers/objective/logprob-gradient.ts";
import { objectiveValue } from "../../../trainers/objective/objective-value.ts";
import { profiles } from "../../../trainers/objective/profiles.ts";
import { eq9Rows, klRows, objectiveCases } from "./golden-cases.ts";

it.each(eq9Rows)("Eq. 9 at ρ = $rho, A = $A, clip $clip", ({ rho, A, clip, value, slope }) => {
  expect(clippedObjective(rho, A, clip)).toBeCloseTo(value, 12);
  expect(clippedSlope(rho, A, clip)).toBeCloseTo(slope, 12);
});

it.each(klRows)("KL $kind (clamp $clamp) at Δ = $delta, ρ = $rho", ({ kind, clamp, delta, rho, value, slope }) => {
  const kl = { kind, clamp, beta: 1 };
  const near = (number: number) => 1e-12 * Math.max(1, Math.abs(number));
  expect(Math.abs(klEstimate(kl, delta, rho) - value)).toBeLessThanOrEqual(near(value));
  expect(Math.abs(klSlope(kl, delta, rho) - slope)).toBeLessThanOrEqual(near(slope));
});

describe.each(objectiveCases)("$name", ({ objective, sessions, current, expected }) => {
  const plan = compile(objective, sessions, profiles.tinker, { allowApproximate: true });

  it("has the totals and the share of every session", () => {
    expect(plan.totals).toEqual(expected.totals);
    const scales = Object.fromEntries(plan.terms.map(({ session, scale }) => [session.id, scale]));
    expect(Object.keys(scales)).toEqual(Object.keys(expected.scales));
    for (const [id, scale] of Object.entries(scales)) expect(scale).toBeCloseTo(expected.scales[id]!, 14);
  });

  it("has the value of J", () => {
    expect(objectiveValue(plan.objective, plan.terms, current)).toBeCloseTo(expected.value, 12);
  });

  it("has ∂J/∂log π of every token, to the precision of the wire", () => {
    const gradientOf = logprobGradient(plan.objective, plan.terms, current);
    const gradient = plan.terms.flatMap((term) => term.session.parts.map((_, p) => [...gradientOf(term, p)]));
    expect(gradient.map((row) => row.length)).toEqual(expected.gradient.map((row) => row.length));
    gradient.forEach((row, i) => {
      row.forEach((w, j) => {
        const exact = expected.gradient[i]![j]!;
        expect(Math.abs(w - exact)).toBeLessThanOrEqual(Math.abs(exact) * 2 ** -23);
      });
    });
  });
});

const python = spawnSync("python3", ["--version"]).status === 0;

it.skipIf(!python)("a Python program reads the golden files and computes the same (skipped without python3)", () => {
  const script = fileURLToPath(new URL("./objective_cases.py", import.meta.url));
  const { status, stdout, stderr } = spawnSync("python3", [script], { encoding: "utf8" });
  expect(stderr).toBe("");
  expect(status).toBe(0);
  expect(stdout).toContain("agree");
});
