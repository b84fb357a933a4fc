/** Full and read-only disks, real ones: small and read-only mounts in a namespace of their own. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readRecords, readScores } from "../../evals/run-folder.ts";
import { normalised } from "../evals/run-words.ts";
import type { Step, StepResult } from "./odd-disk.ts";
import { cleanEnv, json, root, runHere, temporaryFolder } from "./run-cli.ts";

/** Needs Linux and the right to make a mount namespace (root, or unprivileged user namespaces). */
const canMount =
  process.platform === "linux" &&
  spawnSync("unshare", ["-rm", "sh", "-c", "mount -t tmpfs tmpfs /tmp"], { stdio: "ignore" }).status === 0;

const why = canMount ? "" : " (skipped: this machine gives no right to mount)";

const cwd = temporaryFolder();

function takeSteps(steps: readonly Step[]): StepResult[] {
  writeFileSync(join(cwd, "steps.json"), JSON.stringify(steps));
  const tsx = join(root, "node_modules", "tsx", "dist", "esm", "index.mjs");
  const script = join(import.meta.dirname, "odd-disk.ts");
  const { status, stderr } = spawnSync(
    "unshare",
    ["-rm", process.execPath, "--import", tsx, script, "steps.json", "results.json"],
    { cwd, env: cleanEnv(), encoding: "utf8" },
  );
  if (status !== 0) throw new Error(`odd-disk.ts ended with ${status}: ${stderr}`);
  return JSON.parse(readFileSync(join(cwd, "results.json"), "utf8")) as StepResult[];
}

const small = ["--horizon", "2", "--contexts", "2", "--profile", "micro", "--questions", "4", "--policy", "extractive"];
const talk = Array.from(
  { length: 60 },
  (_, i) =>
    `[2024-03-${String(1 + (i % 28)).padStart(2, "0")} 10:00] Ada: The lighthouse number ${i} stands in town ${i * 7}.`,
).join("\n");
const reading = ["talk.txt", "--memory", "talk", "--policy", "extractive", "--chunk-tokens", "40", "--json"];

/** Whole lines or nothing, and no files that only a running process has. */
function expectTidy({ stdout }: StepResult): void {
  const files = JSON.parse(stdout) as [string, boolean][];
  for (const [name, whole] of files.filter(([name]) => name.endsWith(".jsonl"))) expect(whole, name).toBe(true);
  expect(files.filter(([name]) => /lock|tmp/.test(name))).toEqual([]);
}

describe.skipIf(!canMount)(`a full disk${why}`, () => {
  test("ends an evaluation with a sentence and exit code 4, nothing half-written; with space it goes on to the same results", async () => {
    mkdirSync(join(cwd, "full"));
    const [, ran, left, , again] = takeSteps([
      { run: ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", "full"] },
      { umagraph: ["eval", "ledger-qa", ...small, "--out", "full/run", "--json", "--no-html"] },
      { list: "full" },
      { run: ["mount", "-o", "remount,size=16m", "full"] },
      { umagraph: ["eval", "--resume", "full/run", "--json", "--no-html"] },
      { run: ["cp", "-r", "full/run", "resumed"] },
    ]) as [StepResult, StepResult, StepResult, StepResult, StepResult];
    expect(ran.code).toBe(4);
    expect(ran.stderr).toMatch(/cannot write to full\/run\/\w+\.jsonl: ENOSPC/);
    expect(ran.stderr).toContain(
      "free some space and go on: finished work is kept; then: umagraph eval --resume full/run",
    );
    expect(json<{ error: object }>(ran).error).toMatchObject({ code: "store" });
    expectTidy(left);
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ complete: true, results: [{ sessions: 12, failed: 0 }] });

    await runHere(["eval", "ledger-qa", ...small, "--out", "undisturbed", "--no-html"], { cwd });
    const [whole, resumed] = ["undisturbed", "resumed"].map((name) => join(cwd, name)) as [string, string];
    expect(normalised(readRecords(resumed))).toEqual(normalised(readRecords(whole)));
    expect(readScores(resumed)).toEqual(readScores(whole));
  });

  test("ends a reading with exit code 4; with space the same command goes on, to the memory of an undisturbed one", async () => {
    writeFileSync(join(cwd, "talk.txt"), talk);
    mkdirSync(join(cwd, "disk"));
    const memorize = { umagraph: ["memorize", ...reading, "--store", "disk/m.db"] };
    const [, noStore, nothing, , halfway, tidy, , done, shown] = takeSteps([
      { run: ["mount", "-t", "tmpfs", "-o", "size=40k", "tmpfs", "disk"] },
      memorize,
      { list: "disk" },
      { run: ["mount", "-o", "remount,size=140k", "disk"] },
      memorize,
      { list: "disk" },
      { run: ["mount", "-o", "remount,size=16m", "disk"] },
      memorize,
      { umagraph: ["memory", "show", "talk", "--store", "disk/m.db", "--json"] },
    ]) as StepResult[] as [
      StepResult,
      StepResult,
      StepResult,
      StepResult,
      StepResult,
      StepResult,
      StepResult,
      StepResult,
      StepResult,
    ];
    for (const ran of [noStore, halfway]) {
      expect(ran.code).toBe(4);
      expect(ran.stderr).toMatch(/SQLITE_FULL|ENOSPC/);
      expect(ran.stderr).toContain("free some space");
    }
    expectTidy(nothing);
    expectTidy(tidy);
    expect(done.stderr).toMatch(/going on with an unfinished reading of \d+ chunks/);
    expect(JSON.parse(done.stdout)).toMatchObject({ version: 1, complete: true, unread: 0 });

    await runHere(["memorize", ...reading, "--store", "m.db"], { cwd });
    const whole = json(await runHere(["memory", "show", "talk", "--store", "m.db", "--json"], { cwd }));
    expect(JSON.parse(shown.stdout)).toEqual(whole);
  });
});

describe.skipIf(!canMount)(`a read-only folder${why}`, () => {
  test("is a clear error with exit code 4 for whatever would write there; what only reads a run still works", async () => {
    writeFileSync(join(cwd, "talk.txt"), talk);
    mkdirSync(join(cwd, "ro"));
    const evaluate = ["eval", "ledger-qa", ...small, "--no-html"];
    const results = takeSteps([
      { umagraph: ["memorize", ...reading, "--store", "ro/m.db"] },
      { umagraph: [...evaluate, "--out", "ro/run"] },
      { list: "ro" },
      { run: ["mount", "--bind", "ro", "ro"] },
      { run: ["mount", "-o", "remount,bind,ro", "ro"] },
      { umagraph: [...evaluate, "--out", "ro/new"] },
      { umagraph: ["eval", "--resume", "ro/run"] },
      { umagraph: ["report", "ro/run"] },
      { umagraph: ["memorize", ...reading, "--store", "ro/below/m.db"] },
      { umagraph: ["memorize", ...reading, "--store", "ro/m.db"] },
      { umagraph: ["memory", "delete", "talk", "--yes", "--store", "ro/m.db"] },
      { umagraph: ["generate", "ledger-qa", "--horizon", "2", "--contexts", "1", "--out", "ro/data.jsonl"] },
      { umagraph: ["report", "ro/run", "--html", "report.html"] },
      { list: "ro" },
    ]);
    const [, , before, , , ...rest] = results;
    const refused = rest.slice(0, 7);
    expect(refused.map(({ code }) => code)).toEqual(refused.map(() => 4));
    for (const { stderr } of refused) expect(stderr).toMatch(/EROFS|cannot be written/);
    expect(refused[0]!.stderr).toContain("cannot make the folder ro/new: EROFS");
    expect(refused[2]!.stdout).toContain("ledger-qa: all questions");
    const [elsewhere, after] = rest.slice(7);
    expect(elsewhere!.code).toBe(0);
    expect(after!.stdout).toBe(before!.stdout);
  });
});
