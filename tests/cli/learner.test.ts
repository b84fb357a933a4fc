/** The learner at the command line: a service is started, probed, sampled from, trained one step, sampled from again, and stopped. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRecords } from "../../evals/run-folder.ts";
import { servicePython, whyNoService } from "../support/learner-service.ts";
import { tinyModel } from "../support/tiny-model.ts";
import { runHere, temporaryFolder } from "./run-cli.ts";

const cwd = temporaryFolder();

describe("umagraph learner", () => {
  it("says what to do where nothing runs, and for words that mean nothing", async () => {
    const env = { UMAGRAPH_LEARNER_STATE: join(cwd, "none") };
    expect(await runHere(["learner", "status"], { cwd, env })).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/no learner runs here/),
    });
    for (const [words, said] of [
      [["learner", "stop"], /no learner runs here[\s\S]*umagraph learner start/],
      [["learner", "begin"], /expected one action, got begin[\s\S]*actions: start, status, stop, logs, doctor/],
      [["learner", "strat"], /did you mean umagraph learner start/],
      [["learner", "start"], /--model <folder or hub id>/],
      [["learner", "doctor", "--url", "http://127.0.0.1:1"], /nothing answers at http:\/\/127\.0\.0\.1:1/],
      [
        ["rollout", "ledger-qa", "--policy", "learner:http://127.0.0.1:1", "--out", "unreached"],
        /nothing answers at http:\/\/127\.0\.0\.1:1[\s\S]*start a learner/,
      ],
    ] as const)
      expect(await runHere([...words], { cwd, env })).toMatchObject({
        code: expect.any(Number),
        stderr: expect.stringMatching(said),
      });
  });
});

it.skipIf(servicePython !== null)(`the service is not tried here: ${whyNoService}`, (context) => context.skip());

describe.skipIf(servicePython === null)("umagraph learner, with its service", () => {
  it("closes the chain: doctor, rollout with tokens, one update, and a rollout from the new weights", async () => {
    const env = { UMAGRAPH_LEARNER_STATE: join(cwd, "state"), UMAGRAPH_PYTHON: servicePython! };
    const json = async (...words: string[]) => {
      const { code, stdout, stderr } = await runHere([...words, "--json"], { cwd, env });
      expect(code, stderr).toBe(0);
      return JSON.parse(stdout);
    };
    const start = ["learner", "start", "--model", tinyModel(join(cwd, "model")), "--device", "cpu", "--port", "0"];
    const { url } = await json(...start, "--checkpoints", join(cwd, "checkpoints"));
    try {
      expect(await json("learner", "status")).toMatchObject([{ url, healthy: true }]);
      const examined = await json("learner", "doctor");
      expect(examined).toMatchObject({ ok: true, url });
      expect(examined.lines.length).toBeGreaterThan(9);

      const rollout = ["rollout", "ledger-qa", "--profile", "micro", "--horizon", "1", "--contexts", "1", "--M", "1"];
      const small = ["--G", "3", "--prompts", "micro", "--budget", "3600", "--max-turns", "2", "--no-html"];
      const from = (model: string[], out: string) =>
        json(...rollout, ...small, "--policy", `learner:${url}`, ...model, "--out", out);
      await from([], "r1");
      const before = readRecords(join(cwd, "r1"));
      expect(before).toHaveLength(6);
      for (const { trace } of before) expect(trace!.turns.every(({ weights }) => weights !== null)).toBe(true);

      const { shipped } = await json("batch", "r1", "--learner", url, "--full", "--lr", "0.01", "--name", "step-1");
      expect(shipped.weights).toMatch(/^tinker:\/\/.+\/sampler_weights\/step-1/);
      await from(["--model", shipped.weights], "r2");
      const versions = (records: typeof before) =>
        new Set(records.flatMap(({ trace }) => trace!.turns.map(({ weights }) => weights)));
      const after = readRecords(join(cwd, "r2"));
      expect(versions(after).size).toBe(1);
      expect(versions(after)).not.toEqual(versions(before));
      // six sessions of an untrained model differ in their calls, so some advantage is not 0
      expect(shipped.steps[0].metrics).not.toBeNull();
      expect(after.map(({ trace }) => trace!.parts[0]!.ids)).not.toEqual(
        before.map(({ trace }) => trace!.parts[0]!.ids),
      );

      expect((await runHere(["learner", "logs"], { cwd, env })).stdout).toMatch(/\S/);
    } finally {
      expect(await json("learner", "stop")).toEqual([url]);
    }
    expect(await json("learner", "status")).toEqual([]);
  }, 300_000);
});
