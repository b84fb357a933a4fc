/** The doctor against a right server, and against each way of being wrong that it has to find. */
import { describe, expect, it, onTestFinished } from "vitest";
import { examine } from "../../../learner/doctor/examine.ts";
import { type ProbeName, probeNames } from "../../../learner/doctor/probe-line.ts";
import type { EngineProfile } from "../../../learner/engines/engine-profile.ts";
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
  const distances = { unit: "distance", defaults: { low: 0.8, high: 1.2 } } as const;
  const noBound = ["learning_rate", "beta1", "beta2", "eps", "weight_decay"] as const;

  /** The fault, the probes that see it, what the first of them says, and what is measured. */
  it.each<[string, Partial<Behaviour>, readonly ProbeName[], RegExp, Partial<EngineProfile>]>([
    ["mean instead of sum", { reduction: "mean" }, ["reduction"], /averaged/, { reduction: "mean" }],
    ["a mean reported as a sum", { reduction: "mean-hidden" }, ["reduction"], /averaged/, { reduction: "mean" }],
    ["gradients dropped", { accumulates: false }, ["accumulation"], /only the last counts/, { accumulates: false }],
    ["thresholds taken as distances", { clip: distances }, ["clip"], /distances from 1/, { clip: distances }],
    ["weights without sign", { negativeWeights: "absolute" }, ["signed weights"], /sign/, { signedWeights: false }],
    ["negative weights as 0", { negativeWeights: "zero" }, ["signed weights"], /not taken/, { signedWeights: false }],
    ["retries that count twice", { idempotent: false }, ["idempotency"], /counts twice/, { idempotent: false }],
    ["execution as calls arrive", { ordered: false }, ["order"], /as they arrive/, { parallelChunks: false }],
    ["a sampler's other temperature", { samplerTemperature: 0.7 }, ["log-probabilities", "publish"], /temperature/, {}],
    ["a learner's other temperature", { learnerTemperature: 1.3 }, ["log-probabilities", "publish"], /temperature/, {}],
    ["a publish without effect", { publishes: false }, ["publish"], /old weights/, { promptLogprobs: true }],
    ["a norm that bounds nothing", { honoured: noBound }, ["gradient clipping"], /ignored/, { adam: noBound }],
    [
      "a learning rate and no more of Adam",
      { honoured: ["learning_rate"] },
      ["steps", "gradient clipping"],
      /ignores betas and eps/,
      { adam: ["learning_rate", "weight_decay"], reduction: "sum" },
    ],
    [
      "the same, with its norms kept secret",
      { honoured: ["learning_rate"], reportsGradNorm: false },
      ["steps", "reduction", "gradient clipping"],
      /ignores betas and eps/,
      {},
    ],
  ])("%s", async (_, behaviour, probes, meaning, profile) => {
    const { bad, line, ok, profile: measured } = await examined(behaviour);
    expect([ok, bad]).toEqual([false, probes]);
    expect(line(probes[0]!).meaning).toMatch(meaning);
    expect(measured).toMatchObject(profile);
  });

  it("and other default thresholds are measured", async () => {
    const { bad, profile } = await examined({ clip: { unit: "ratio", defaults: { low: 0.9, high: 1.1 } } });
    expect([bad, profile.clip]).toEqual([[], { unit: "ratio", defaults: { low: 0.9, high: 1.1 } }]);
  });
});
