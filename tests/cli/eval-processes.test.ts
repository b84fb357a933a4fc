/** Evaluations in processes of their own, against a slow server: killed, stopped, started twice. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { rng } from "../../base/rng.ts";
import { readRecords, readScores } from "../../evals/run-folder.ts";
import { normalised } from "../evals/run-words.ts";
import { type ExtractiveServer, extractiveServer } from "./extractive-server.ts";
import { json, type Ran, runHere, startCli, temporaryFolder } from "./run-cli.ts";

const cwd = temporaryFolder();
let server: ExtractiveServer;
/** Replies wait for it. */
let gate: Promise<unknown> = Promise.resolve();

beforeAll(async () => {
  server = await extractiveServer(async () => {
    await Promise.all([gate, sleep(12)]);
    return undefined;
  });
});
afterAll(() => server.close());

const begun = (out: string, url = server.url) => [
  ...["eval", "ledger-qa", "--horizon", "3", "--contexts", "2", "--profile", "micro", "--questions", "7"],
  ...["--policy", "openai", "--model", "stand-in", "--base-url", url, "--concurrency", "3"],
  ...["--out", out, "--no-html", "--json"],
];
const resumed = (out: string) => ["eval", "--resume", out, "--no-html", "--json"];

/** Settles at the n-th request from now. */
async function requests(n: number, of = server): Promise<void> {
  const until = of.requests() + n;
  while (of.requests() < until) await sleep(2);
}

const resultsOf = (out: string) => {
  const folder = join(cwd, out);
  // a run's name is not its result
  return { records: normalised(readRecords(folder)), scores: readScores(folder) };
};

test("killed at ten random moments, stopped once, and resumed each time: the results are those of an undisturbed run", async () => {
  expect(await runHere(begun("undisturbed"), { cwd })).toMatchObject({ code: 0 });
  const whole = resultsOf("undisturbed");
  expect(whole.records).toHaveLength(2 * (3 + 7));
  expect(whole.records.every(({ error }) => error === null)).toBe(true);

  const random = rng(4, "kill -9");
  const finished: number[] = [];
  for (let kill = 0; kill < 10; kill++) {
    const reached = requests(random.int(1, 7));
    const run = startCli(kill === 0 ? begun("killed") : resumed("killed"), { cwd });
    await reached;
    await sleep(random.int(0, 30));
    run.child.kill("SIGKILL");
    expect(await run.done).toMatchObject({ code: null });
    finished.push(existsSync(join(cwd, "killed", "records.jsonl")) ? readRecords(join(cwd, "killed")).length : 0);
  }
  // nothing that was finished was lost, and it was indeed killed in the middle
  expect(finished).toEqual([...finished].sort((a, b) => a - b));
  expect(finished.at(-1)).toBeGreaterThan(3);
  expect(finished.at(-1)).toBeLessThan(20);

  const reached = requests(2);
  const stopped = startCli(resumed("killed"), { cwd });
  await reached;
  // a second process wants the same folder meanwhile
  const conflicting = runHere(resumed("killed"), { cwd });
  gate = conflicting;
  const refused = await conflicting;
  expect(refused).toMatchObject({
    code: 5,
    stderr: expect.stringContaining("another evaluation of killed is running"),
  });
  expect(json<{ error: { code: string } }>(refused).error.code).toBe("conflict");
  stopped.child.kill("SIGINT");
  const said: Ran = await stopped.done;
  expect(said.code).toBe(130);
  expect(said.stderr).toContain("stopping: the running sessions finish first (press Ctrl-C again to cut them short)");
  expect(said.stderr).toContain("stopped before the end; go on with: umagraph eval --resume killed");
  expect(json(said)).toMatchObject({ complete: false, stopped: "asked" });
  expect(existsSync(join(cwd, "killed", "lock"))).toBe(false);

  const last = await runHere(resumed("killed"), { cwd });
  expect(last).toMatchObject({ code: 0 });
  expect(json(last)).toMatchObject({ complete: true, results: [{ sessions: 20, failed: 0 }] });
  expect(resultsOf("killed")).toEqual(whole);
  const ids = readFileSync(join(cwd, "killed", "records.jsonl"), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line).id);
  expect(new Set(ids).size).toBe(ids.length);
}, 240_000);

test("a second press cuts the running sessions short at once, also those that hang; they are not recorded", async () => {
  const hanging = await extractiveServer(() => "hang");
  try {
    const reached = requests(2, hanging);
    const run = startCli(begun("hanging", hanging.url), { cwd });
    await reached;
    run.child.kill("SIGINT");
    await sleep(200);
    run.child.kill("SIGTERM");
    const said = await run.done;
    expect(said.code).toBe(130);
    expect(said.stderr).toContain("cutting the running sessions short");
    expect(readRecords(join(cwd, "hanging"))).toEqual([]);
  } finally {
    await hanging.close();
  }
});
