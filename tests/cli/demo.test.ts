import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openRunFolder } from "../../evals/run-folder.ts";
import { json, runHere, temporaryFolder } from "./run-cli.ts";

const cwd = temporaryFolder();

test("by default the trained model plays, in the sessions that it was trained on, and says what it is", async () => {
  const { code, stdout } = await runHere(["demo", "--out", "trained"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain("a model of one million parameters that was trained in this repository");
  expect(stdout).not.toContain("NO MODEL");
  expect(stdout.match(/\(gold .*; decimal_exact [01]\)/g)).toHaveLength(8);
  const { config } = openRunFolder(join(cwd, "trained"));
  expect(config).toMatchObject({
    policy: { name: "embedded", scripted: false },
    toolset: "ledger",
    prompts: { name: "micro" },
    limits: { maxTurns: 8 },
  });
});

test("the script shows the bank after each chunk, the answers with their scores, where to look and what to try, and that there is no model", async () => {
  const { code, stdout } = await runHere(["demo", "--policy", "ledger-expert"], { cwd });
  expect(code).toBe(0);
  expect(stdout).toContain("NO MODEL is used: the policy is ledger-expert");
  for (const chunk of [1, 2, 3])
    expect(stdout).toMatch(new RegExp(`^chunk ${chunk}: \\d+ lines, \\d+ tool calls in \\d+ turns$`, "m"));
  expect(stdout).toMatch(/ {2}the bank:\n {2}\+ \S/);
  expect(stdout).toMatch(/ {2}~ year 2023\n {4}- .*\n/);
  expect(stdout.match(/\(gold .*; decimal_exact 1\)/g)).toHaveLength(8);
  expect(stdout).toContain("8 of 8 right");
  expect(stdout).toContain("run folder: runs/demo\nreport:     runs/demo/report.html");
  expect(stdout).toContain("--policy openai --model <model>");
  expect(existsSync(join(cwd, "runs", "demo", "report.html"))).toBe(true);
  expect(openRunFolder(join(cwd, "runs", "demo")).config).toMatchObject({
    policy: { scripted: true },
    benchmark: { config: { profile: "micro" } },
  });
});

test("what the demo suggests to try without a model works as printed, and answers right", async () => {
  const { stdout } = await runHere(["demo", "--horizon", "1", "--questions", "1", "--out", "a demo"], { cwd });
  const suggested = [...stdout.matchAll(/^ {2}npx umagraph ((?:memorize|ask) .*)$/gm)].map(([, words]) => words!);
  expect(suggested).toHaveLength(2);
  const asTyped = suggested.map((words) =>
    [...words.matchAll(/"([^"]*)"|(\S+)/g)].map(([, quoted, plain]) => quoted ?? plain!),
  );
  expect(await runHere(asTyped[0]!, { cwd })).toMatchObject({ code: 0 });
  const ask = await runHere(asTyped[1]!, { cwd });
  expect(ask.stdout).toMatch(/^14 June$/m);
  expect(ask.stdout).not.toContain("\\boxed");
  const raw = json(await runHere([...asTyped[1]!, "--json"], { cwd }));
  expect(raw).toMatchObject({ answer: "14 June", text: expect.stringContaining("\\boxed{14 June}") });
});

test("a second demo takes the next folder; --json is one document", async () => {
  const flags = ["--policy", "ledger-expert", "--horizon", "2", "--questions", "3", "--seed", "1", "--json"];
  const ran = await runHere(["demo", ...flags], { cwd });
  expect(json(ran)).toMatchObject({
    complete: true,
    chunks: 2,
    questions: 3,
    correct: 3,
    folder: "runs/demo-2",
    scripted: true,
  });
});
