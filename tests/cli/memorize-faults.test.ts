/** Reading into a memory while things go wrong: providers fail, processes are killed or started twice, users press Ctrl-C. */
import { existsSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeAll, expect, test } from "vitest";
import { rng } from "../../base/rng.ts";
import type { RequestBody } from "../policies/chat-completions-server.ts";
import { type ExtractiveServer, extractiveServer } from "./extractive-server.ts";
import { json, type Ran, runHere, startCli, temporaryFolder } from "./run-cli.ts";

const parent = temporaryFolder();
const DAYS = 9;
const talk = Array.from(
  { length: DAYS },
  (_, i) => `[2024-03-0${i + 1} 10:15] Ada: I have moved to town number ${i + 1}.\n`,
).join("");

function folder(): string {
  const cwd = mkdtempSync(join(parent, "cwd-"));
  writeFileSync(join(cwd, "talk.txt"), talk);
  return cwd;
}
const args = ({ url }: ExtractiveServer, ...more: string[]) => [
  ...["memorize", "talk.txt", "--memory", "m", "--json", "--kind", "chat", "--chunk-tokens", "40"],
  ...["--policy", "openai", "--model", "stand-in", "--base-url", url, "--retries", "0", ...more],
];
const memorize = (cwd: string, server: ExtractiveServer, ...more: string[]) => runHere(args(server, ...more), { cwd });
const show = async (cwd: string) => json<Shown>(await runHere(["memory", "show", "m", "--json"], { cwd }));

interface Shown {
  readonly version: number;
  readonly core: string;
  readonly entries: readonly { readonly content: string }[];
  readonly chunks: number;
  readonly unread: number;
}
interface Result {
  readonly version: number;
  readonly complete: boolean;
  readonly stopped: string | null;
  readonly chunks: number;
  readonly failed: number;
  readonly unread: number;
}
const result = (ran: Ran) => json<Result>(ran);

/** The day that a session is about: the one in its chunk. */
const dayOf = (body: RequestBody) => Number(/<chunk>[\s\S]*?town number (\d)/.exec(JSON.stringify(body.messages))?.[1]);
const down = { status: 503, body: { error: { message: "overloaded" } } } as const;

/** What an undisturbed reading gives. */
let whole: Shown;
let wholeRequests: number;
beforeAll(async () => {
  const server = await extractiveServer();
  const cwd = folder();
  expect(await memorize(cwd, server)).toMatchObject({ code: 0 });
  whole = await show(cwd);
  wholeRequests = server.requests();
  expect(whole).toMatchObject({ version: 1, chunks: DAYS, unread: 0 });
  expect(whole.entries).toHaveLength(DAYS);
  await server.close();
});

test("a chunk whose session failed is not taken for read: the others are, and the next run reads it", async () => {
  const cwd = folder();
  let broken = true;
  const server = await extractiveServer((body) => (broken && dayOf(body) === 4 ? down : undefined));
  const ran = await memorize(cwd, server);
  expect(ran.code).toBe(0);
  expect(result(ran)).toMatchObject({
    complete: false,
    stopped: null,
    chunks: DAYS - 1,
    failed: 1,
    unread: 1,
    version: 1,
  });
  expect(ran.stderr).toMatch(/chunk 4: the session failed \(policy\): .*503/);
  expect(ran.stderr).toContain("1 chunk still unread; run the same command again to go on");
  expect((await show(cwd)).entries.some(({ content }) => content.includes("town number 4."))).toBe(false);
  // who asks meanwhile is told
  const asked = await runHere(["ask", "--memory", "m", "Where?", "--policy", "extractive"], { cwd });
  expect(asked.stderr).toContain(`1 of ${DAYS} chunks are still unread`);

  broken = false;
  const before = server.requests();
  const again = await memorize(cwd, server);
  expect(again.stderr).toContain("one chunk was left unread; read first");
  expect(result(again)).toMatchObject({ complete: true, chunks: 1, unread: 0, version: 2 });
  expect(server.requests() - before).toBeLessThan(wholeRequests / 4);
  const shown = await show(cwd);
  expect(shown.chunks).toBe(DAYS);
  expect(shown.entries.map(({ content }) => content).sort()).toEqual(
    whole.entries.map(({ content }) => content).sort(),
  );
  expect(result(await memorize(cwd, server))).toMatchObject({ chunks: 0, version: 2 });
  await server.close();
});

test("a provider that is gone from the start: after three sessions it stops, exit code 6, and nothing is kept", async () => {
  const cwd = folder();
  let broken = true;
  const server = await extractiveServer(() => (broken ? down : undefined));
  const ran = await memorize(cwd, server);
  expect(ran.code).toBe(6);
  expect(server.requests()).toBe(3);
  expect(ran.stderr).toMatch(
    /stopped: openai:stand-in gave no replies: .*503[\s\S]*run the same command again to go on/,
  );
  expect(result(ran)).toMatchObject({ complete: false, stopped: "provider", version: 0, chunks: 0 });
  expect(await runHere(["memory", "show", "m"], { cwd })).toMatchObject({ code: 3 });
  broken = false;
  expect(await memorize(cwd, server)).toMatchObject({ code: 0 });
  expect(await show(cwd)).toEqual(whole);
  await server.close();
});

test("a provider that dies in the middle: what was read is kept, and the next run gives the same memory as an undisturbed one", async () => {
  const cwd = folder();
  let broken = true;
  const server = await extractiveServer((body) => (broken && dayOf(body) >= 6 ? down : undefined));
  const ran = await memorize(cwd, server);
  expect(ran.code).toBe(6);
  expect(result(ran)).toMatchObject({ stopped: "provider", version: 1, chunks: 5, failed: 3, unread: 4 });
  const requests = server.requests();
  broken = false;
  const again = await memorize(cwd, server);
  expect(result(again)).toMatchObject({ complete: true, chunks: 4, version: 2 });
  expect(server.requests() - requests + (requests - 3)).toBe(wholeRequests);
  expect(await show(cwd)).toEqual({ ...whole, version: 2 });
  await server.close();
});

test("flags reach the server: tool choice, further fields, temperature", async () => {
  const cwd = folder();
  const bodies: RequestBody[] = [];
  const server = await extractiveServer((body) => {
    bodies.push(body);
    return undefined;
  });
  const flags = [
    "--tool-choice",
    "required",
    "--temperature",
    "0.25",
    "--extra",
    '{"chat_template_kwargs":{"enable_thinking":false}}',
  ];
  expect(await memorize(cwd, server, ...flags)).toMatchObject({ code: 0 });
  expect(bodies[0]).toMatchObject({
    tool_choice: "required",
    temperature: 0.25,
    chat_template_kwargs: { enable_thinking: false },
  });
  await server.close();
});

test("an empty reply or one in prose is a session that was read: the chunk does not come again", async () => {
  const cwd = folder();
  const server = await extractiveServer((body) => (dayOf(body) === 2 ? { message: { content: "" } } : undefined));
  const ran = await memorize(cwd, server);
  expect(ran.stderr).toContain("chunk 2: the core was kept: ");
  expect(result(ran)).toMatchObject({ complete: true, failed: 0, unread: 0 });
  await server.close();
});

test("killed, stopped by Ctrl-C, and wanted by a second process: it goes on where it was, and repeats no finished session", async () => {
  const cwd = folder();
  let gate: Promise<unknown> = Promise.resolve();
  const finished = new Map<number, number>();
  const server = await extractiveServer(async (body) => {
    const day = dayOf(body);
    // a session's first request
    if (body.messages.length === 2) finished.set(day, (finished.get(day) ?? 0) + 1);
    await Promise.all([gate, sleep(10)]);
    return undefined;
  });
  const requests = async (n: number) => {
    const until = server.requests() + n;
    while (server.requests() < until) await sleep(2);
  };
  const random = rng(5, "kills");
  for (let kill = 0; kill < 3; kill++) {
    const reached = requests(random.int(3, 6));
    const run = startCli(args(server), { cwd });
    await reached;
    await sleep(random.int(0, 15));
    run.child.kill("SIGKILL");
    expect((await run.done).code).toBeNull();
    expect(existsSync(join(cwd, ".umagraph", "memories.db"))).toBe(true);
  }
  const reached = requests(2);
  const run = startCli(args(server), { cwd });
  await reached;
  const second = memorize(cwd, server);
  gate = second;
  const refused = await second;
  expect(refused).toMatchObject({
    code: 5,
    stderr: expect.stringMatching(/another memorize of "m" is running \(process \d+\)/),
  });
  run.child.kill("SIGINT");
  const stopped = await run.done;
  expect(stopped.code).toBe(130);
  expect(stopped.stderr).toContain("going on with an unfinished reading");
  expect(stopped.stderr).toContain("stopping: the running sessions finish first");
  expect(stopped.stderr).toContain("stopped; run the same command again to go on");
  const partly = result(stopped);
  expect(partly).toMatchObject({ complete: false, stopped: "asked", version: 1 });
  // what was read so far can be asked already
  expect(await show(cwd)).toMatchObject({ version: 1, unread: partly.unread });

  const last = await memorize(cwd, server);
  expect(result(last)).toMatchObject({ complete: true, version: 2, chunks: partly.unread });
  expect(await show(cwd)).toEqual({ ...whole, version: 2 });
  // only a session that was killed was begun again
  const again = [...finished.values()].reduce((sum, times) => sum + times - 1, 0);
  expect(again).toBeLessThanOrEqual(3);
  await server.close();
}, 120_000);
