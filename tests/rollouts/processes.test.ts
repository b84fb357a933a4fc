/** Rollouts in processes of their own against a server that counts: killed at random moments, and served badly. */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, expect, test } from "vitest";
import { rng, seedOf } from "../../base/rng.ts";
import { type StandInOptions, type StandInServer, standInServer } from "../../bench/server/stand-in-server.ts";
import { createRunFolder, readRecords } from "../../evals/run-folder.ts";
import { normalised, wordsConfig } from "../evals/run-words.ts";

const SEED = 5;
const CONCURRENCY = 4;
const parent = mkdtempSync(join(tmpdir(), "umagraph-processes-"));
const servers: StandInServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});
afterAll(() => rmSync(parent, { recursive: true }));

async function serve(options: StandInOptions): Promise<StandInServer> {
  const server = await standInServer(options);
  servers.push(server);
  return server;
}

/** 3 contexts × G = 3 × (4 chunks + 4 of 5 questions) = 72 sessions of three turns. */
function begin(name: string, url: string, policy: object = {}) {
  const folder = join(parent, name);
  const spec = { policy: "openai", model: "stand-in", baseURL: url, retryBaseMs: 100, ...policy };
  createRunFolder(
    folder,
    wordsConfig({
      benchmark: { name: "words", config: { contexts: 3, chunks: 4 } },
      policy: { spec, name: "openai:stand-in", scripted: false },
      rollout: { G: 3, M: 4 },
      ...{ seed: SEED, concurrency: CONCURRENCY },
    }),
  );
  return { folder, spec };
}

interface Running {
  readonly child: ChildProcess;
  /** Exit code, null when it was killed, and what it said. */
  readonly ended: Promise<{ code: number | null; said: string }>;
}

function standBy(): Running {
  const child = spawn(process.execPath, [join(import.meta.dirname, "rollout-process.mjs")], { stdio: "pipe" });
  let said = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (piece: Buffer) => {
      said += piece;
    });
  const ended = new Promise<{ code: number | null; said: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, said }));
  });
  return { child, ended };
}

/** Processes that have loaded their code, or are about to: the next one does it while the last one still runs. */
const standing = [standBy(), standBy()];
afterAll(() => {
  for (const { child } of standing) child.kill("SIGKILL");
});

function goOn(run: { folder: string; spec: object }): Running {
  const next = standing.shift()!;
  standing.push(standBy());
  next.child.stdin!.end(JSON.stringify(run));
  return next;
}

const recordsOf = (folder: string) => (existsSync(join(folder, "records.jsonl")) ? readRecords(folder) : []);
/** What a session's first turn sends. */
const firstSeed = (id: string) => seedOf(SEED, id, 0);

async function undisturbed(server: StandInServer) {
  const run = begin("undisturbed", server.url);
  expect(await goOn(run).ended).toMatchObject({ code: 0 });
  const records = recordsOf(run.folder);
  expect(records).toHaveLength(72);
  expect(records.every(({ error, end, turns }) => error === null && end === "text" && turns === 3)).toBe(true);
  return normalised(records);
}

test("killed with SIGKILL at 20 random moments and resumed: the log is that of an undisturbed run, and little is sampled twice", async () => {
  const server = await serve({ latency: 8 });
  const whole = await undisturbed(server);
  const KILLS = 20;
  const random = rng(4, "kill -9 of a rollout");
  const run = begin("killed", server.url);
  const start = server.requests.length;
  /** Per kill: sessions that were finished by then, and how many requests had come. */
  const kills: { readonly finished: readonly string[]; readonly requests: number }[] = [];
  for (let kill = 0; kill < KILLS; kill++) {
    const from = server.requests.length;
    const until = from + random.int(2, 18);
    const { child, ended } = goOn(run);
    while (server.requests.length < until && child.exitCode === null) await sleep(1);
    await sleep(random.int(0, 12));
    child.kill("SIGKILL");
    expect(await ended).toMatchObject({ code: null });
    kills.push({ finished: recordsOf(run.folder).map(({ id }) => id), requests: server.requests.length });
  }
  // it was killed in the middle, and nothing that was finished was lost
  expect(kills.at(-1)!.finished.length).toBeGreaterThan(10);
  expect(kills.at(-1)!.finished.length).toBeLessThan(72);
  for (const [n, { finished }] of kills.entries())
    expect(finished.slice(0, kills[n - 1]?.finished.length ?? 0)).toEqual(kills[n - 1]?.finished ?? []);

  expect(await goOn(run).ended).toMatchObject({ code: 0 });
  const records = recordsOf(run.folder);
  expect(normalised(records)).toEqual(whole);
  expect(new Set(records.map(({ id }) => id)).size).toBe(72);

  const begun = server.requests.map(({ seed, turn }) => (turn === 0 ? seed : null));
  for (const { finished, requests } of kills) {
    const later = new Set(begun.slice(requests));
    expect(finished.filter((id) => later.has(firstSeed(id)))).toEqual([]);
  }
  // what a kill can cost: the sessions that were under way
  for (const [n, { finished, requests }] of kills.entries()) {
    const done = new Set(finished.map(firstSeed));
    const underWay = new Set(
      begun.slice(kills[n - 1]?.requests ?? start, requests).filter((seed) => seed !== null && !done.has(seed)),
    );
    expect(underWay.size, `kill ${n}`).toBeLessThanOrEqual(CONCURRENCY);
  }
  const sessions = begun.slice(start).filter((seed) => seed !== null);
  expect(new Set(sessions).size).toBe(72);
  expect(sessions.length - 72).toBeGreaterThan(0);
  expect(sessions.length - 72).toBeLessThanOrEqual(KILLS * CONCURRENCY);
}, 600_000);

test("a server that fails, hangs and dies for five seconds: every session is done or an error, and none is sampled twice", async () => {
  const server = await serve({
    latency: 5,
    failureRate: 0.1,
    hangRate: 0.01,
    seed: 0,
    outage: { request: 90, ms: 5_000 },
  });
  const run = begin("badly-served", server.url, { maxRetries: 9, timeoutMs: 4_000 });
  const ended = await goOn(run).ended;
  expect(ended).toMatchObject({ code: 0 });
  expect(JSON.parse(ended.said)).toMatchObject({ complete: true, done: 72 });
  const records = recordsOf(run.folder);
  expect(new Set(records.map(({ id }) => id)).size).toBe(72);
  for (const record of records)
    expect(record.end === "text" || record.error?.boundary === "policy", JSON.stringify(record)).toBe(true);

  const outcomes = (outcome: string) => server.requests.filter((line) => line.outcome === outcome);
  expect(server.outages()).toBe(1);
  expect(outcomes("fail").length).toBeGreaterThan(10);
  expect(outcomes("hang").length).toBeGreaterThan(0);
  // a seed belongs to one turn of one session
  const served = outcomes("served").map(({ seed }) => seed);
  expect(new Set(served).size).toBe(served.length);
  const doneTurns = records.filter(({ error }) => error === null).reduce((sum, { turns }) => sum + turns, 0);
  expect(served.length).toBeGreaterThanOrEqual(doneTurns);
}, 600_000);
