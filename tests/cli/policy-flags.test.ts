/** Flags of policies: what each policy takes, and what it is shown recorded and played again, through the real command. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { openRunFolder } from "../../evals/run-folder.ts";
import { json, runHere, temporaryFolder } from "./run-cli.ts";

const cwd = temporaryFolder();
writeFileSync(
  join(cwd, "notes.txt"),
  "[2024-05-20 21:40] Mara: First clear night. We saw Saturn and I forgot my gloves.\n" +
    "[2024-05-21 08:10] Jon: The train to Bergen leaves at 14:05.\n",
);
const small = ["--horizon", "1", "--contexts", "1", "--questions", "2", "--profile", "micro", "--no-html", "--quiet"];

describe("a recorded transcript", () => {
  const memorize = ["memorize", "notes.txt", "--memory", "m"];
  const ask = ["ask", "--memory", "m", "When does the train to Bergen leave?", "--json"];

  test("plays memorize and ask again with the same answer, and fails where what is shown differs", async () => {
    const record = ["--policy", "extractive", "--record-transcript", "t.jsonl"];
    for (const run of [memorize, ask])
      expect(await runHere([...run, "--store", "a.db", ...record], { cwd })).toMatchObject({ code: 0 });
    const played = ["--policy", "replay", "--transcript", "t.jsonl", "--store", "b.db"];
    expect(await runHere([...memorize, ...played], { cwd })).toMatchObject({ code: 0 });
    const again = await runHere([...ask, ...played], { cwd });
    expect(again.code).toBe(0);
    const first = json(await runHere([...ask, "--store", "a.db", "--policy", "extractive"], { cwd }));
    expect(first.answer).toBe("21 May 2024");
    expect(json(again)).toEqual({ ...first, policy: { name: "replay:extractive", scripted: true } });

    const other = await runHere(["ask", "--memory", "m", "When does the bus to Bergen leave?", ...played], { cwd });
    expect(other.code).not.toBe(0);
    expect(other.stdout).toMatch(/no recorded turn was shown this\. Closest is turn \d/);
    expect(other.stdout).toMatch(/- human: .*train to Bergen/);
    expect(other.stdout).toMatch(/\+ human: .*bus to Bergen/);
  });

  test("of an evaluation holds every turn, and plays to the same scores", async () => {
    const run = ["eval", "ledger-qa", ...small, "--json"];
    const record = ["--policy", "ledger-expert", "--record-transcript", "e.jsonl", "--out", "recorded"];
    const first = json<{ results: { metrics: object; sessions: number; failed: number }[] }>(
      await runHere([...run, ...record], { cwd }),
    );
    const played = ["--policy", "replay", "--transcript", "e.jsonl", "--out", "played"];
    const second = json<{ results: { metrics: object; sessions: number; failed: number }[] }>(
      await runHere([...run, ...played], { cwd }),
    );
    const { metrics, sessions } = first.results[0]!;
    expect(second.results).toMatchObject([{ metrics, sessions, failed: 0 }]);
    expect(JSON.stringify(openRunFolder(join(cwd, "recorded")).config.policy.spec)).not.toContain("e.jsonl");
  });

  test("is of one policy: several are refused before anything is written", async () => {
    const ran = await runHere(
      ["eval", "ledger-qa", ...small, "--policy", "ledger-expert,extractive", "--record-transcript", "two.jsonl"],
      { cwd },
    );
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("a transcript holds the turns of one policy, got ledger-expert, extractive");
    expect(() => readFileSync(join(cwd, "two.jsonl"))).toThrow();
  });
});

describe("a flag that a policy does not have", () => {
  test("is an error when it was typed, with the policies that have it", async () => {
    const ran = await runHere(["memorize", "notes.txt", "--memory", "x", "--policy", "extractive", "--model", "m"], {
      cwd,
    });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain("--model means nothing to the policy extractive");
    expect(ran.stderr).toContain("leave it out, or give --policy openai");
    const ask = await runHere(["ask", "--memory", "m", "Who?", "--retries", "1"], { cwd });
    expect(ask.stderr).toContain("leave it out, or give --policy openai or --policy langchain");
  });

  test("is left out when it came from the environment", async () => {
    const env = { UMAGRAPH_MODEL: "m", UMAGRAPH_TIMEOUT: "5" };
    const ran = await runHere(["memorize", "notes.txt", "--memory", "env", "--policy", "extractive"], { cwd, env });
    expect(ran).toMatchObject({ code: 0 });
  });

  test("goes to those of several policies that have it", async () => {
    const several = [
      ...small,
      "--policy",
      "ledger-expert,openai",
      "--base-url",
      "http://127.0.0.1:9/v1",
      "--model",
      "m",
    ];
    const none = [...several, "--retries", "0", "--give-up-after", "1", "--out", "several"];
    await runHere(["eval", "ledger-qa", ...none], { cwd });
    const spec = (name: string) => openRunFolder(join(cwd, "several", name)).config.policy.spec;
    expect(spec("uma--ledger-expert--s0")).toEqual({ policy: "ledger-expert" });
    expect(spec("uma--openai-m--s0")).toEqual({
      policy: "openai",
      model: "m",
      baseURL: "http://127.0.0.1:9/v1",
      maxRetries: 0,
    });
    const stray = await runHere(["eval", "ledger-qa", ...several, "--transcript", "t"], { cwd });
    expect(stray.stderr).toContain("--transcript means nothing to the policy ledger-expert, openai");
  });

  test("in a batch file is refused, with what was probably meant; flags' names are understood there", async () => {
    const batch = (options: object) =>
      writeFileSync(join(cwd, "batch.json"), JSON.stringify({ benchmark: "ledger-qa", policies: options }));
    batch({ policy: "openai", modle: "m" });
    const ran = await runHere(["eval", "batch.json", ...small], { cwd });
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('policy openai: there is no option "modle"');
    expect(ran.stderr).toContain("did you mean model?");
    batch({ policy: "openai", model: "m", baseUrl: "http://127.0.0.1:9/v1", timeout: 2, retries: 0 });
    await runHere(["eval", "batch.json", ...small, "--give-up-after", "1", "--out", "named"], { cwd });
    expect(openRunFolder(join(cwd, "named")).config.policy.spec).toEqual({
      policy: "openai",
      model: "m",
      baseURL: "http://127.0.0.1:9/v1",
      timeoutMs: 2_000,
      maxRetries: 0,
    });
  });

  test("does not keep a run folder from being resumed that was begun when such flags were kept", async () => {
    const out = join(cwd, "older");
    await runHere(["eval", "ledger-qa", ...small, "--policy", "ledger-expert", "--out", out], { cwd });
    const path = join(out, "config.json");
    const config = JSON.parse(readFileSync(path, "utf8"));
    config.policy.spec = { policy: "ledger-expert", model: "m", temperature: 0, baseURL: "http://127.0.0.1:9/v1" };
    writeFileSync(path, JSON.stringify(config));
    expect(await runHere(["eval", "--resume", out, "--no-html"], { cwd })).toMatchObject({ code: 0 });
    const stray = await runHere(["eval", "--resume", out, "--retries", "3"], { cwd });
    expect(stray.stderr).toContain("--retries means nothing to the policy ledger-expert");
  });
});
