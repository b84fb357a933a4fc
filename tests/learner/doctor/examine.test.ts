/** The doctor against a right server, and against each way of being wrong that it has to find. */
import { describe, expect, it, onTestFinished } from "vitest";
import { examine } from "../../../learner/doctor/examine.ts";
import { probeNames } from "../../../learner/doctor/probe-line.ts";
import { profiles } from "../../../learner/engines/engine-profiles.ts";
import type { Behaviour } from "../../support/tinker-server/behaviour.ts";
import { impatient } from "../../support/tinker-server/connect.ts";
import { startTinkerServer } from "../../support/tinker-server/tinker-server.ts";

async function examined(behaviour: Partial<Behaviour> = {}, options = {}) {
  const server = await startTinkerServer(behaviour);
  onTestFinished(() => server.close());
  const found = await examine({ baseURL: server.url, limits: impatient, onWarning: () => {}, ...options });
  const bad = found.lines.filter(({ ok }) => !ok).map(({ probe }) => probe);
  const line = (probe: string) => found.lines.find((each) => each.probe === probe)!;
  return { ...found, bad, line };
}

describe("a right server", () => {
  it("passes every probe, each of which says what was done, seen and meant, and is measured as it is", async () => {
    const { lines, ok, profile } = await examined();
    expect(lines.map(({ probe }) => probe)).toEqual([...probeNames]);
    expect(lines.filter((line) => !line.ok)).toEqual([]);
    expect(ok).toBe(true);
    for (const line of lines)
      expect(
        Object.values(line).every(
          (value) => typeof value === "boolean" || value.length > 10 || probeNames.includes(value as never),
        ),
      ).toBe(true);
    expect(profile).toEqual({ ...profiles.embedded, losses: profiles.embedded.losses });
  });

  it.each([["proto"], ["json"]] as const)("that reads only %s passes too, and the profile says so", async (wire) => {
    const { bad, profile } = await examined({ dialects: [wire] });
    expect([bad, profile.wire]).toEqual([[], wire]);
  });

  it("may train all parameters, report no norm, and average nothing it reports", async () => {
    expect((await examined({ reportsGradNorm: false }, { full: true })).bad).toEqual([]);
  });

  it("hands out its lines as they are found", async () => {
    const told: string[] = [];
    const { lines } = await examined({}, { onLine: ({ probe }: { probe: string }) => told.push(probe) });
    expect(told.sort()).toEqual(lines.map(({ probe }) => probe).sort());
  });
});

describe("a wrong server is found out", () => {
  it.each<[string, Partial<Behaviour>, string, RegExp, object]>([
    ["mean instead of sum", { reduction: "mean" }, "reduction", /averaged/, { reduction: "mean" }],
    ["a mean that is reported as a sum", { reduction: "mean-hidden" }, "reduction", /averaged/, { reduction: "mean" }],
    [
      "gradients dropped at the next call",
      { accumulates: false },
      "accumulation",
      /only the last counts/,
      { accumulates: false },
    ],
    [
      "thresholds taken as distances",
      { clip: { unit: "distance", defaults: { low: 0.8, high: 1.2 } } },
      "clip",
      /distances from 1/,
      { clip: { unit: "distance", defaults: { low: 0.8, high: 1.2 } } },
    ],
    [
      "weights without their sign",
      { negativeWeights: "absolute" },
      "signed weights",
      /sign of weights is lost/,
      { signedWeights: false },
    ],
    [
      "negative weights taken as 0",
      { negativeWeights: "zero" },
      "signed weights",
      /not taken as they are/,
      { signedWeights: false },
    ],
    ["retries that count twice", { idempotent: false }, "idempotency", /counts twice/, { idempotent: false }],
    ["execution in the order of arrival", { ordered: false }, "order", /as they arrive/, { parallelChunks: false }],
    ["a sampler of another temperature", { samplerTemperature: 0.7 }, "log-probabilities", /temperature/, {}],
    ["a learner of another temperature", { learnerTemperature: 1.3 }, "log-probabilities", /temperature/, {}],
    ["a publish that changes nothing", { publishes: false }, "publish", /old weights/, {}],
    [
      "a norm that bounds nothing",
      { honoured: ["learning_rate", "beta1", "beta2", "eps", "weight_decay"] },
      "gradient clipping",
      /ignored/,
      { adam: ["learning_rate", "beta1", "beta2", "eps", "weight_decay"] },
    ],
    [
      "only the learning rate being used",
      { honoured: ["learning_rate"] },
      "steps",
      /ignores betas and eps/,
      { adam: ["learning_rate", "weight_decay"] },
    ],
  ])("%s", async (_, behaviour, probe, meaning, profile) => {
    const { bad, line, ok, profile: measured } = await examined(behaviour);
    expect(ok).toBe(false);
    expect(bad).toContain(probe);
    expect(line(probe).meaning).toMatch(meaning);
    expect(measured).toMatchObject(profile);
  });

  it("by the probe that is for it, and no other, where the fault has one effect", async () => {
    const only = async (behaviour: Partial<Behaviour>) => (await examined(behaviour)).bad;
    expect(await only({ accumulates: false })).toEqual(["accumulation"]);
    expect(await only({ negativeWeights: "absolute" })).toEqual(["signed weights"]);
    expect(await only({ clip: { unit: "distance", defaults: { low: 0.8, high: 1.2 } } })).toEqual(["clip"]);
    expect(await only({ idempotent: false })).toEqual(["idempotency"]);
    expect(await only({ ordered: false })).toEqual(["order"]);
    expect(await only({ publishes: false })).toEqual(["publish"]);
  });

  it("and other default thresholds are measured", async () => {
    const { bad, profile } = await examined({ clip: { unit: "ratio", defaults: { low: 0.9, high: 1.1 } } });
    expect([bad, profile.clip]).toEqual([[], { unit: "ratio", defaults: { low: 0.9, high: 1.1 } }]);
  });
});
