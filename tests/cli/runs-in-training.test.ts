/** Commands that look into one run, given the folder of a training run, a part of one, or a model. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { writeSampledRun } from "../trainers/credit/golden-run.ts";
import { beginTraining } from "../trainers/report/invented-training.ts";
import { runHere, temporaryFolder } from "./run-cli.ts";

const cwd = temporaryFolder();
const training = beginTraining(join(cwd, "train"));
for (const run of ["updates/0001/ledger-qa", "updates/0002/ledger-qa", "evaluations/0000/greedy-ledger-qa"])
  writeSampledRun(training, run);
const best = join(training, "best");
mkdirSync(best);
writeFileSync(join(best, "config.json"), JSON.stringify({ model_type: "qwen3", architectures: [] }));
beginTraining(join(cwd, "begun"));

const refusal = async (...args: string[]) => {
  const { code, stderr } = await runHere(args, { cwd });
  expect(code).toBe(3);
  return stderr;
};

it("names the runs in a training run, and one to begin with", async () => {
  expect(await refusal("inspect", "train")).toBe(
    "umagraph inspect: train is a training run; the runs in it are evaluations/0000/greedy-ledger-qa, " +
      "updates/0001/ledger-qa … updates/0002/ledger-qa (2)\n  give one of them, e.g. train/updates/0002/ledger-qa\n",
  );
  expect(await refusal("rewards", "train/updates")).toContain(
    "train/updates is a part of a training run; the runs in it are 0001/ledger-qa … 0002/ledger-qa (2)",
  );
  expect(await refusal("inspect", "begun")).toMatch(/there is no run in it\n.*umagraph report begun\n/);
  expect((await runHere(["inspect", "train/updates/0001"], { cwd })).code).toBe(0);
});

it("takes no model's config.json for a run's", async () => {
  for (const command of ["inspect", "report"])
    expect(await refusal(command, "train/best")).toMatch(
      /^umagraph \w+: train\/best is a model \(a Hugging Face folder\), and holds no run\n {2}give a run folder.*\n$/,
    );
});
