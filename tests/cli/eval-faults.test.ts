/** A provider that fails in every way it can: the run goes on, says so, and can be completed later. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, test } from "vitest";
import type { ResultRow } from "../../cli/eval/results.ts";
import { readRecords, readScores } from "../../evals/run-folder.ts";
import { normalised } from "../evals/run-words.ts";
import type { Answer, RequestBody } from "../policies/chat-completions-server.ts";
import { extractiveServer } from "./extractive-server.ts";
import { json, runHere, temporaryFolder } from "./run-cli.ts";

const parent = temporaryFolder();

interface EvalJson {
  readonly complete: boolean;
  readonly stopped: string | null;
  readonly results: ResultRow[];
}

/** A batch file, since only there a policy's waits can be made short enough for a test. */
function batch(url: string, policy: object = {}): string {
  const cwd = mkdtempSync(join(parent, "cwd-"));
  const spec = {
    benchmark: "ledger-qa",
    config: { horizon: 2, contexts: 2, profile: "micro", questions: 4 },
    policies: [{ policy: "openai", model: "stand-in", baseURL: url, retryBaseMs: 5, timeoutMs: 1_000, ...policy }],
    concurrency: 3,
  };
  writeFileSync(join(cwd, "batch.json"), JSON.stringify(spec));
  return cwd;
}
const evaluate = (cwd: string, ...more: string[]) =>
  runHere(["eval", "batch.json", "--out", "run", "--no-html", "--json", ...more], { cwd });
const resume = (cwd: string, ...more: string[]) =>
  runHere(["eval", "--resume", "run", "--no-html", "--json", ...more], { cwd });
const resultsOf = (cwd: string) => ({
  records: normalised(readRecords(join(cwd, "run"))).map((record) => ({ ...record, attempt: 1 })),
  scores: readScores(join(cwd, "run")),
});

let whole: ReturnType<typeof resultsOf>;
beforeAll(async () => {
  const server = await extractiveServer();
  const cwd = batch(server.url);
  expect(await evaluate(cwd)).toMatchObject({ code: 0 });
  whole = resultsOf(cwd);
  expect(whole.records).toHaveLength(2 * (2 + 4));
  await server.close();
});

const passing: readonly (readonly [string, Answer])[] = [
  ["a 500", { status: 500, body: { error: { message: "out of memory" } } }],
  [
    "a 429 that says when to come back",
    { status: 429, body: { error: { message: "slow down" } }, headers: { "retry-after-ms": "20" } },
  ],
  ["a 503 in HTML", { status: 503, body: "<html>Service Unavailable</html>" }],
  ["HTML with status 200", { html: "<html><body>Bad gateway</body></html>" }],
  ["a reply without choices", { json: { error: "no slot free" } }],
  ["silence until the time-out", "hang"],
  ["a reset connection", "reset"],
  ["half a body", "truncate"],
];

test.each([
  ["", {}, passing],
  [
    " when streaming",
    { streaming: true },
    [
      ["a stream that is cut", { deltas: [{ role: "assistant", content: "The ans" }], finish: null }],
      ...passing.slice(5, 7),
    ],
  ],
] as const)(
  "faults that pass are tried again, and leave no trace in the results%s",
  async (_, policy, faults) => {
    // every third request fails, each time in the next way
    const server = await extractiveServer((_body, index) =>
      index % 3 === 1 ? faults[Math.floor(index / 3) % faults.length]![1] : undefined,
    );
    try {
      const cwd = batch(server.url, policy);
      const ran = await evaluate(cwd);
      expect(ran).toMatchObject({ code: 0 });
      expect(json<EvalJson>(ran)).toMatchObject({ complete: true, results: [{ failed: 0 }] });
      expect(server.requests()).toBeGreaterThan(3 * faults.length);
      expect(resultsOf(cwd)).toEqual(whole);
    } finally {
      await server.close();
    }
  },
  120_000,
);

/** Of the questions that a request may be about, the ones that fail. */
const asks = (body: RequestBody, pattern: RegExp) => pattern.test(JSON.stringify(body.messages));

test.each(passing)(
  "%s that does not pass ends its own sessions only; they are counted and can be run again",
  async (_, answer) => {
    let broken = true;
    const hopeless = /total spending|in total/i;
    const server = await extractiveServer((body) =>
      broken && asks(body, hopeless) && asks(body, /<question>/) ? answer : undefined,
    );
    try {
      const cwd = batch(server.url, { maxRetries: 1, timeoutMs: 600 });
      const ran = await evaluate(cwd);
      const failed = readRecords(join(cwd, "run")).filter(({ error }) => error !== null);
      expect(failed.length).toBeGreaterThan(0);
      expect(failed.length).toBeLessThan(8);
      expect(failed[0]).toMatchObject({ stage: "qa", end: "error", error: { boundary: "policy", code: "provider" } });
      expect(ran.code).toBe(0);
      expect(json<EvalJson>(ran)).toMatchObject({ complete: true, results: [{ failed: failed.length, sessions: 12 }] });
      expect(ran.stderr).toContain(`${failed.length} of 12 sessions failed; the last one: `);
      expect(ran.stderr).toContain("run them again with: umagraph eval --resume run --retry-failed");
      broken = false;
      const again = await resume(cwd, "--retry-failed");
      expect(json<EvalJson>(again)).toMatchObject({ complete: true, results: [{ failed: 0 }] });
      expect(resultsOf(cwd)).toEqual(whole);
    } finally {
      await server.close();
    }
  },
);

test("an empty message ends a session without an answer, and the old core stays", async () => {
  const server = await extractiveServer((body) =>
    body.messages.length > 2 ? { message: { content: "" } } : undefined,
  );
  try {
    const cwd = batch(server.url);
    expect(await evaluate(cwd)).toMatchObject({ code: 0 });
    const records = readRecords(join(cwd, "run"));
    for (const record of records.filter(({ stage }) => stage === "memory"))
      expect(record).toMatchObject({ end: "text", core: { before: "", after: "", committed: false } });
    expect(readScores(join(cwd, "run")).every(({ prediction }) => prediction === "")).toBe(true);
  } finally {
    await server.close();
  }
});

test("a server that dies and comes back within the retries costs time and nothing else", async () => {
  let first = await extractiveServer((_body, index) => {
    if (index === 6) void restart();
    return index >= 6 ? "hang" : undefined;
  });
  const port = Number(new URL(first.url).port);
  const restart = async () => {
    await first.close();
    await new Promise((resolve) => setTimeout(resolve, 100));
    first = await extractiveServer(undefined, port);
  };
  const cwd = batch(first.url, { retryBaseMs: 200 });
  const ran = await evaluate(cwd);
  await first.close();
  expect(ran).toMatchObject({ code: 0 });
  expect(resultsOf(cwd)).toEqual(whole);
});

test("a server that dies for good ends the run soon, with a sentence and exit code 6; with another server it is completed", async () => {
  const dying = await extractiveServer((_body, index) => {
    if (index === 9) setTimeout(() => void dying.close(), 0);
    return index >= 9 ? "hang" : undefined;
  });
  const cwd = batch(dying.url, { maxRetries: 1 });
  const ran = await evaluate(cwd, "--give-up-after", "3");
  expect(ran.code).toBe(6);
  expect(json<EvalJson>(ran)).toMatchObject({ complete: false, stopped: "provider" });
  expect(ran.stderr).toContain("stopped: the policy gave no replies any more: openai:stand-in: nothing answers at");
  expect(ran.stderr).toContain("umagraph eval --resume run --retry-failed");
  expect(readRecords(join(cwd, "run")).filter(({ error }) => error !== null)).toHaveLength(3);

  const server = await extractiveServer();
  const again = await resume(cwd, "--retry-failed", "--base-url", server.url);
  await server.close();
  expect(again).toMatchObject({ code: 0 });
  expect(resultsOf(cwd)).toEqual(whole);
});

test("a server that was never there: every session failed, exit code 6, and nothing of it counts as an answer", async () => {
  const gone = await extractiveServer();
  await gone.close();
  const cwd = batch(gone.url, { maxRetries: 0 });
  const ran = await evaluate(cwd, "--give-up-after", "0");
  expect(ran.code).toBe(6);
  expect(ran.stderr).toContain("every session failed: openai:stand-in: nothing answers at");
  expect(json<EvalJson>(ran).results[0]).toMatchObject({
    n: 8,
    failed: 12,
    metrics: { em: { mean: null, scored: 0 } },
  });
});
