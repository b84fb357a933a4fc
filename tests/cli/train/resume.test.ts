/** A run that is killed at any moment and gone on with is the run that was never killed; stops are in order. */
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadRlRecipe } from "../../../trainers/recipes/load-recipe.ts";
import { runTraining } from "../../../trainers/run/run-training.ts";
import { servicePython, whyNoService } from "../../support/learner-service.ts";
import { root, runCli, runHere, startCli, temporaryFolder } from "../run-cli.ts";

const cwd = temporaryFolder();
const env = { UMAGRAPH_LEARNER_STATE: join(cwd, "state"), ...(servicePython && { UMAGRAPH_PYTHON: servicePython }) };

const ledger = (split: string, contexts: number) =>
  `{ benchmark: ledger-qa, config: { profile: micro, horizon: 2, maxTransactions: 1, split: ${split} }, contexts: ${contexts}, M: 2 }`;
writeFileSync(
  join(cwd, "tiny.yaml"),
  [
    "extends: demo",
    `model: ${join(root, "assets", "cold-start")}`,
    "updates: 3",
    "saveEvery: 2",
    "rollout: { G: 3, M: 2 }",
    `data: [${ledger("train", 1)}]`,
    `evaluation: { every: 2, greedy: false, data: [${ledger("test", 2)}] }`,
  ].join("\n"),
);

it.skipIf(servicePython !== null)(`runs are not tried here: ${whyNoService}`, (context) => context.skip());

describe.skipIf(servicePython === null)("umagraph train, with a learner", () => {
  let url = "";
  beforeAll(async () => {
    const start = ["learner", "start", "--model", join(root, "assets", "cold-start"), "--device", "cpu"];
    const { code, stdout, stderr } = await runCli(
      [...start, "--full", "--port", "0", "--checkpoints", join(cwd, "checkpoints"), "--json"],
      { cwd, env },
    );
    expect(code, stderr).toBe(0);
    ({ url } = JSON.parse(stdout));
  }, 400_000);
  afterAll(async () => {
    await runCli(["learner", "stop", "--all"], { cwd, env });
  }, 100_000);

  const train = (...words: string[]) => ["train", ...words, "--learner", url, "--pool", "0", "--json"];

  /** Starts and kills without mercy as soon as `when` is so. False when the run was quicker. */
  async function killedWhen(when: () => boolean, words: readonly string[], signal: NodeJS.Signals = "SIGKILL") {
    const { child, done } = startCli(words, { cwd, env });
    let ended = false;
    child.once("exit", () => {
      ended = true;
    });
    while (!ended && !when()) await sleep(5);
    const inTime = !ended;
    child.kill(signal);
    return { inTime, ...(await done) };
  }

  it("killed three times and resumed gives the metrics of the run that was not", async () => {
    const whole = await runCli(train("tiny.yaml", "--seed", "1", "--out", "whole"), { cwd, env });
    expect(whole.code, whole.stderr).toBe(0);
    const result = JSON.parse(whole.stdout);
    expect(result).toMatchObject({ end: "complete", updates: 3, folder: "whole", weights: join("whole", "best") });
    expect(result.initial).toMatchObject({ update: 0, sampled: { contexts: 2, mean: expect.any(Number) } });
    expect(result.final.update).toBe(3);
    expect(Object.keys(result.habits.after)).toEqual(expect.arrayContaining(["editAttempted", "illegalCall"]));
    expect(readdirSync(join(cwd, "whole", "best"))).toEqual(
      expect.arrayContaining(["model.safetensors", "config.json"]),
    );

    const lines = (file: string) => {
      const path = join(cwd, "cut", file);
      return existsSync(path) ? readFileSync(path, "utf8").split("\n").length - 1 : 0;
    };
    const records = (update: string) => {
      const place = join(cwd, "cut", "updates", update);
      const [source] = existsSync(place) ? readdirSync(place).filter((name) => name.startsWith("ledger-qa")) : [];
      return source === undefined ? 0 : lines(join("updates", update, source, "records.jsonl"));
    };
    // in the middle of sampling, of the step after it, and of what comes after an update that was not saved
    const moments = [() => records("0001") > 1, () => records("0001") >= 3 * 4, () => records("0003") > 0];
    for (const [at, moment] of moments.entries()) {
      const words = at === 0 ? train("tiny.yaml", "--seed", "1", "--out", "cut") : train("--resume", "cut");
      const { inTime, stderr } = await killedWhen(moment, words);
      expect(inTime, stderr).toBe(true);
    }
    const last = await runCli(train("--resume", "cut"), { cwd, env });
    expect(last.code, last.stderr).toBe(0);
    const same = await runHere(["diff", "whole", "cut"], { cwd, env });
    expect(same).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^identical metrics: 3 updates, 3 evaluations/),
    });
    const { final, best } = JSON.parse(last.stdout);
    expect({ final, best }).toEqual({ final: result.final, best: result.best });
  }, 900_000);

  it("the plain loop over the same steps gives the metrics of the graph", async () => {
    const recipe = await loadRlRecipe(join(cwd, "tiny.yaml"));
    const learner = { baseURL: url, checkpoints: join(cwd, "checkpoints") };
    const end = await runTraining({ folder: join(cwd, "plain"), recipe, seed: 1, umagraph: "test", learner });
    expect(end.complete).toBe(true);
    for (const file of ["metrics.jsonl", "evaluations.jsonl"])
      expect(readFileSync(join(cwd, "plain", file), "utf8")).toBe(readFileSync(join(cwd, "whole", file), "utf8"));
  }, 300_000);

  it("a complete run is not gone on with under another recipe, and not begun anew when its state is gone", async () => {
    const other = await runHere(train("--resume", "whole", "--set", "rollout.G=8"), { cwd, env });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringMatching(/begun with another rollout/) });
    const same = await runHere(train("--resume", "whole"), { cwd, env });
    expect(JSON.parse(same.stdout)).toMatchObject({ end: "complete", updates: 3 });

    cpSync(join(cwd, "whole"), join(cwd, "torn"), { recursive: true });
    for (const name of ["state.sqlite", "state.sqlite-wal", "state.sqlite-shm"])
      rmSync(join(cwd, "torn", name), { force: true });
    const lost = await runHere(train("--resume", "torn"), { cwd, env });
    expect(lost).toMatchObject({ code: 4, stderr: expect.stringMatching(/lines of 3 updates, and its state.sqlite/) });
    for (const file of ["metrics.jsonl", "evaluations.jsonl"])
      expect(readFileSync(join(cwd, "torn", file), "utf8")).toBe(readFileSync(join(cwd, "whole", file), "utf8"));
  }, 200_000);

  it("Ctrl-C stops in order, says how to go on, and a changed seed is refused", async () => {
    const { code, stderr, stdout } = await killedWhen(
      () => existsSync(join(cwd, "stopped", "updates", "0001")),
      train("tiny.yaml", "--seed", "2", "--out", "stopped"),
      "SIGINT",
    );
    expect(code, stderr).toBe(130);
    expect(JSON.parse(stdout)).toMatchObject({ end: "stopped", updates: 0, folder: "stopped" });
    expect(stderr).toMatch(/stopping at the next safe point/);
    expect(existsSync(join(cwd, "stopped", "lock"))).toBe(false);
    const other = await runHere(["train", "--resume", "stopped", "--seed", "3"], { cwd, env });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringMatching(/leave out --seed/) });
    const again = await runHere(["train", "tiny.yaml", "--out", "stopped", "--learner", url], { cwd, env });
    expect(again).toMatchObject({ code: 2, stderr: expect.stringMatching(/already holds a training run/) });
    const changed = await runHere(["train", "--resume", "stopped", "--learner", url, "--set", "adam.learningRate=1"], {
      cwd,
      env,
    });
    expect(changed).toMatchObject({ code: 2, stderr: expect.stringMatching(/begun with another adam/) });
  }, 300_000);
});

describe("umagraph train, before anything runs", () => {
  it.each([
    [["train"], /no recipe given[\s\S]*recipes: demo/],
    [["train", "dmo"], /there is no recipe named "dmo"[\s\S]*did you mean demo\?/],
    [["train", "demo", "ablation"], /expected one recipe, got demo and ablation/],
    [["train", "demo", "--set", "rollout.G=1"], /rollout.G: expected at least 2 \(one trajectory alone.*\), got 1/],
    [["train", "demo", "--set", "updatez=1"], /there is no field updatez \(did you mean updates\?\)/],
    [["train", "demo", "--set", "updates"], /--set: expected path=value, got "updates"/],
    [["train", "demo", "--scale", "paper"], /demo has no scale paper/],
    [["train", "--resume", "nowhere"], /nowhere holds no training run/],
    [["train", "tiny.yaml", "--learner", "http://127.0.0.1:1"], /nothing answers at http:\/\/127\.0\.0\.1:1/],
  ] as const)("%j", async (words, said) => {
    const { code, stderr } = await runHere([...words], { cwd, env });
    expect(code).toBeGreaterThan(0);
    expect(stderr).toMatch(said);
  });

  it("lists recipes, and shows one with every field", async () => {
    const listed = JSON.parse((await runHere(["train", "--list", "--json"], { cwd, env })).stdout);
    expect(listed.map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining([
        "demo",
        "uma-generalist",
        "uma-specialist",
        "uma-global-group",
        "uma-two-stage",
        "sft-expert",
      ]),
    );
    const shown = await runHere(["train", "tiny.yaml", "--show", "--set", "data.0.contexts=7"], { cwd, env });
    expect(JSON.parse(shown.stdout)).toMatchObject({ kind: "rl", updates: 3, data: [{ contexts: 7 }], async: 0 });
  });
});
