/** rewards, batch, inspect and diff through the command, on runs whose numbers were worked out by hand. */
import { appendFileSync, existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { readRecords } from "../../evals/run-folder.ts";
import { recordTrace } from "../../nodes/session/recorded-trace.ts";
import { runWords } from "../evals/run-words.ts";
import { goldenContexts, writeSampledRun } from "../trainers/credit/golden-run.ts";
import { memorySession, published, sampledFrom } from "../trainers/rewards/sampled.ts";
import { json, runCli, runHere, temporaryFolder } from "./run-cli.ts";

const cwd = temporaryFolder();
let runs = 0;
const newRun = (...more: [Parameters<typeof writeSampledRun>[2]?]) => {
  const name = `run-${runs++}`;
  writeSampledRun(cwd, name, ...more);
  return name;
};
const here = (...args: string[]) => runHere(args, { cwd });

describe("umagraph rewards", () => {
  it("prints the tables of A.21.1 and writes them, the same bytes each time", async () => {
    const run = newRun();
    const ran = await here("rewards", run);
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("R = λ·r_tool + r_outcome, λ 0.5, r_outcome exact; a miss counts in neither");
    expect(ran.stdout).toMatch(
      /c: A of memory sessions\n.*\n─+\nt0 +\+0\.2526 +\+0\.2526\nt1 +\+0\.7579 +\+1\.2632\nt2 +−0\.7579 +−1\.7685/,
    );
    expect(ran.stdout).toMatch(
      /c: R of QA sessions\n.*\n─+\nt0 +1\.5000 +0\.5000\nt1 +1\.5000 +1\.2500\nt2 +0\.0000 +0\.5000/,
    );
    expect(ran.stdout).toContain("groups: 6 compared, none without spread");
    const files = ["rewards.jsonl", "advantages.jsonl", "credit.json"].map((name) => join(cwd, run, name));
    const before = files.map((file) => readFileSync(file, "utf8"));
    await here("rewards", run);
    expect(files.map((file) => readFileSync(file, "utf8"))).toEqual(before);
  });

  it("gives the published code's numbers as JSON when asked", async () => {
    const run = newRun();
    const { contexts } = json<{ contexts: { A_mem: number[][] }[] }>(
      await here("rewards", run, "--std", "sample", "--no-write", "--json"),
    );
    expect(contexts[0]!.A_mem[1]![1]).toBeCloseTo(1.1532, 4);
    expect(existsSync(join(cwd, run, "rewards.jsonl"))).toBe(false);
  });

  it("λ of one stage alone, λ 0, another estimator", async () => {
    const run = newRun();
    const result = async (...flags: string[]) =>
      json<{ contexts: { R_mem: number[][]; R_qa: number[][]; A_qa: number[][] }[] }>(
        await here("rewards", run, "--json", ...flags),
      ).contexts[0]!;
    expect((await result("--lambda-memory", "2")).R_mem[1]).toEqual([2, 3]);
    expect((await result("--lambda", "0", "--lambda-qa", "1")).R_mem[1]).toEqual([1, 1]);
    expect((await result("--estimator", "global-group")).A_qa[0]![0]).toBeCloseTo(1.1677, 4);
  });

  it("absent is a dash with its reason counted, and long tables stay within the terminal", async () => {
    const wide = {
      ...published,
      r_outcome: published.r_outcome.map((row) => row.map((outcome, j) => (j === 1 ? null : outcome))),
    };
    const ran = await here("rewards", newRun([sampledFrom(wide)]));
    expect(ran.stdout).toMatch(/c: R of QA sessions\n.*\n─+\nt0 +1\.5000 +–/);
    expect(ran.stdout).toContain("no reward: 3 × no-outcome (the answer has no score: the judge failed");
    const many = Array.from({ length: 30 }, () => 1);
    const columns = { r_tool_mem: [many, many], r_tool_qa: [many, many], r_outcome: [many, many] };
    const long = await here("rewards", newRun([sampledFrom(columns)]));
    expect(
      Math.max(
        ...long.stdout
          .split("\n")
          .filter((line) => /^(t\d|─|trajectory)/.test(line))
          .map((line) => line.length),
      ),
    ).toBeLessThanOrEqual(100);
    expect(long.stdout).toContain("m29");
    expect(long.stdout).toContain("q29");
  });

  it("refuses a metric, a folder or a context that is not there, with what is", async () => {
    const run = newRun();
    const metric = await here("rewards", run, "--outcome", "decimal-exact");
    expect(metric).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('this run has no metric "decimal-exact"'),
    });
    expect(metric.stderr).toContain("choose one of exact, uma-code");
    expect(await here("rewards", "nowhere")).toMatchObject({ code: 3 });
    expect(await here("rewards")).toMatchObject({ code: 2, stderr: expect.stringContaining("no run folder given") });
    expect((await here("rewards", run, "--context", "x")).stderr).toContain("contexts: c, d");
    expect((await here("rewards", run, "--lambda", "-1")).code).toBe(2);
    expect((await here("rewards", run, "--lambda", " ")).code).toBe(2);
    expect(existsSync(join(cwd, run, "credit.json"))).toBe(false);
  });
});

describe("umagraph batch", () => {
  it("without tokens shows the counts and says that nothing can be trained", async () => {
    const run = newRun();
    const ran = await here("batch", run, "--objective", "task-stratified");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("memory: 12 sessions, 12/12 with a reward");
    expect(ran.stdout).toContain("Nothing can be trained: the policy some-model is not token-exact.");
    expect(ran.stdout).toContain("computed now with the defaults (the folder has none");
    expect(ran.stdout).toContain("with it the mode would be kl-extension");
    const out = await here("batch", run, "--out", "batch.jsonl");
    expect(out).toMatchObject({ code: 3, stderr: expect.stringContaining("its policy is not token-exact") });
    expect(existsSync(join(cwd, "batch.jsonl"))).toBe(false);
    expect(json(await here("batch", run, "--json"))).toMatchObject({ trainable: false, plan: null, withoutTokens: 24 });
  });

  it("with tokens plans the update, takes the folder's advantages and writes the datums", async () => {
    const run = newRun(
      goldenContexts.map((sampled) => ({
        ...sampled,
        records: sampled.records.map((record) => {
          const turn = { turn: 0, weights: null, calls: [], logprobs: Float32Array.from([-1]) };
          const tokens = { prompt: Int32Array.from([1, 2]), completion: Int32Array.from([3]) };
          return { ...record, trace: recordTrace([{ ...turn, ...tokens }], record.id) };
        }),
      })),
    );
    await here("rewards", run, "--lambda", "0");
    const ran = await here("batch", run, "--kl", "none", "--out", "batch.jsonl");
    expect(ran.stderr).toBe("");
    expect(ran.code).toBe(0);
    expect(ran.stdout).toContain("as written in the folder: task-stratified, λ 0, outcome exact");
    expect(ran.stdout).toContain("mode: ppo on embedded");
    expect(ran.stdout).toContain("gradient: exactly −∇J");
    expect(ran.stdout).not.toContain("KL");
    const [head, ...datums] = readFileSync(join(cwd, "batch.jsonl"), "utf8").trimEnd().split("\n");
    expect(JSON.parse(head!)).toMatchObject({ mode: "ppo", totals: { sessions: 24 } });
    // λ = 0: in t0 the memory sessions get the mean outcome, which is the group's mean too
    expect(datums).toHaveLength(20);
    expect((await here("batch", run, "--kl", "rk3")).stdout).toContain("KL rho-k3 with β 0.001 is left out here");
    expect((await here("batch", run, "--objective", "sft", "--kl", "k3")).stderr).toContain(
      "a sft loss has no KL term",
    );
  });
});

describe("umagraph inspect", () => {
  it("shows contexts, trajectories and sessions with their rewards and how they come about", async () => {
    const run = newRun();
    const all = await here("inspect", run);
    expect(all.stdout).toContain("2 contexts × G 3 trajectories × M 2 questions · 24 sessions finished");
    expect(all.stdout).toContain("computed now with the defaults");
    expect(all.stdout).toContain("c · 3 of 3 trajectories · 12 of 12 sessions · r̄ 0.5000");
    expect(all.stdout).toContain("  t1 · 2/2 chunks · 2/2 questions · r̄ 1.0000");
    expect(all.stdout).toMatch(
      / {4}m0 · R 1\.2500 · A \+0\.7579 · r_tool 0\.5000 = 1\/2 .* memory_add, memory_add \(invalid\)/,
    );
    const leaf = await here("inspect", run, "--context", "0", "--trajectory", "1", "--chunk", "0");
    expect(leaf.stdout).toContain("c/t1/m0");
    expect(leaf.stdout).toContain("R = 0.5 · 1/2 + 1.0000 (mean outcome of the trajectory) = 1.2500");
    expect(leaf.stdout).toContain("A = +0.7579 within c/memory");
  });

  it("shows a session to the bottom: calls, observations, the bank's changes by replay, the core", async () => {
    const run = `words-${runs++}`;
    await runWords(join(cwd, run));
    const [memory] = readRecords(join(cwd, run)).filter(({ stage, calls }) => stage === "memory" && calls.length > 0);
    const { context, position, calls } = memory!;
    const leaf = await here("inspect", run, "--context", context, "--chunk", String(position));
    expect(leaf.code).toBe(0);
    expect(leaf.stdout).toContain(`turn ${calls[0]!.turn}  ${calls[0]!.name}`);
    expect(leaf.stdout).toContain(JSON.stringify(calls[0]!.args).slice(0, 40));
    expect(leaf.stdout).toContain(calls[0]!.observation.replace(/\s+/g, " ").slice(0, 40));
    expect(leaf.stdout).toMatch(/bank: \d+ → \d+ entries/);
    expect(leaf.stdout).toContain("core ");
    const details = json<{ sessions: { bank: { added: { title: string }[] } }[] }>(
      await here("inspect", run, "--context", context, "--chunk", String(position), "--json"),
    );
    const added = calls.flatMap((call) =>
      call.writes.filter(({ op }) => op === "add").map(({ after }) => after!.title),
    );
    expect(details.sessions[0]!.bank.added.map(({ title }) => title)).toEqual(added);
    const asked = readRecords(join(cwd, run)).find(({ stage }) => stage === "qa")!;
    const answer = await here("inspect", run, "--context", asked.context, "--question", asked.question!);
    expect(answer.stdout).toContain(`answer  ${asked.answer}`);
    expect(answer.stdout).toContain("gold  ");
  });

  it("works while the log grows: a torn tail, no scores, sessions that are missing", async () => {
    const run = newRun([
      { ...goldenContexts[0]!, records: goldenContexts[0]!.records.filter(({ id }) => id !== "c/t1/m0") },
    ]);
    rmSync(join(cwd, run, "scores.jsonl"));
    appendFileSync(join(cwd, run, "records.jsonl"), '{"v":2,"id":"c/t9');
    const all = await here("inspect", run);
    expect(all.code).toBe(0);
    expect(all.stdout).toContain("t1 · 1/2 chunks · 2/2 questions");
    const leaf = await here("inspect", run, "--trajectory", "1", "--chunk", "1");
    expect(leaf.stdout).toContain("bank: the log has 0 of the 1 sessions before it");
    expect((await here("inspect", newRun([]))).stdout).toContain("No context has begun yet.");
  });

  it("a large run is shown from above, and says how to go deeper", async () => {
    const row = [1, 0.5, 0, 1, 0.5];
    const table = Array.from({ length: 8 }, () => row);
    const tables = { r_tool_mem: table, r_tool_qa: table, r_outcome: table };
    const run = newRun(Array.from({ length: 9 }, (_, n) => sampledFrom(tables, `c${n}`)));
    const { stdout } = await here("inspect", run);
    expect(stdout.split("\n").length).toBeLessThan(20);
    expect(stdout).toContain("one context: umagraph inspect");
    expect((await here("inspect", run, "--context", "c3", "--trajectory", "7")).stdout).toContain("    m4 ");
    expect((await here("inspect", run, "--depth", "trajectories")).stdout.match(/^ {2}t\d/gm)).toHaveLength(72);
  });

  it("what is not there is answered with what is", async () => {
    const run = newRun();
    const said = async (...flags: string[]) => (await here("inspect", run, ...flags)).stderr;
    expect(await said("--context", "9")).toContain("contexts 0 to 1: c, d");
    expect(await said("--trajectory", "7")).toContain("there are: 0, 1, 2");
    expect(await said("--chunk", "5")).toContain("there are: 0, 1");
    expect(await said("--question", "x")).toContain("there are: 0, 1");
    expect(await said("--question", "x", "--chunk", "1")).toContain("got both");
  });

  it("texts of models do not steer the terminal", async () => {
    const evil = "\u001b[2J\u001b]0;owned\u0007 \u202Eabc";
    const record = memorySession(0, { more: { core: { before: evil, after: evil, committed: true, kept: null } } });
    const run = newRun([{ ...goldenContexts[0]!, records: [record], scores: [] }]);
    const { stdout } = await here("inspect", run, "--chunk", "0");
    expect(stdout).toContain("core unchanged");
    expect(stdout).not.toMatch(/[\u001b\u0007\u202E]/);
  });
});

describe("umagraph diff", () => {
  it("is 0 for equal runs and 1 for others, with the first differences", async () => {
    const [a, b] = [newRun(), newRun()];
    expect(await here("diff", a, b)).toMatchObject({
      code: 0,
      stdout: "identical: 24 sessions, 2 contexts, 12 scores\n",
    });
    const [first, second] = goldenContexts as [(typeof goldenContexts)[0], (typeof goldenContexts)[0]];
    const records = first.records.map((record) => (record.id === "c/t0/q1" ? { ...record, answer: "else" } : record));
    const other = await here("diff", a, newRun([{ ...first, records }, second]));
    expect(other.code).toBe(1);
    expect(other.stdout).toContain('records.jsonl  c/t0/q1  answer\n  a: "an answer"\n  b: "else"\n');
    const parsed = json(await here("diff", a, newRun([first]), "--most", "2", "--json"));
    expect(parsed).toMatchObject({ identical: false, total: 19, compared: { sessions: 12 } });
    expect(parsed.differences).toHaveLength(2);
    expect(await here("diff", a)).toMatchObject({ code: 2 });
    expect(await here("diff", a, "nowhere")).toMatchObject({ code: 3 });
  });

  it("two runs of one command are identical, through the real command", async () => {
    const [a, b] = [`words-${runs++}`, `words-${runs++}`];
    await runWords(join(cwd, a));
    await runWords(join(cwd, b), { concurrency: 1 });
    expect(await runCli(["diff", a, b], { cwd })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("identical"),
    });
  });
});
