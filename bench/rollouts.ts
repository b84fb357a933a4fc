/**
 * Rollouts against a server process with latency: how close the wall comes to the schedule's critical path, what a turn costs
 * in CPU, whether memory grows with contexts, and what two threads do for a policy that computes.
 *
 * Whole runs as `umagraph rollout` makes them: Ledger-QA, run folder, log on the disk. Each measurement is a process of its
 * own, warmed up by a smaller run; the rounds of what is compared are interleaved and medians are reported.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadBenchmark } from "../evals/benchmarks/index.ts";
import { evaluate } from "../evals/evaluate.ts";
import { createRunFolder, openRunFolder, readRecords } from "../evals/run-folder.ts";
import { loadVariant } from "../graphs/variants/load-variant.ts";
import { loadPrompts } from "../nodes/prompts/prompts.ts";
import { SessionLimits } from "../nodes/session/limits.ts";
import type { SessionRecord } from "../nodes/session/record.ts";
import { createPolicy } from "../policies/index.ts";
import type { PolicySpec } from "../policies/policy.ts";
import { createSource } from "../retrieval/source.ts";
import { noTimeLimits } from "../rollouts/time-limits.ts";
import { toolsets } from "../tools/toolsets.ts";
import type { BenchOptions } from "./main.ts";
import { makespan } from "./rollout-schedule.ts";

interface Shape {
  readonly policy: PolicySpec;
  /** The same one, with a server that is quick. */
  readonly warmUp: PolicySpec;
  readonly contexts: number;
  readonly G: number;
  readonly N: number;
  readonly M: number;
  readonly concurrency: number;
  readonly pool: number;
  /** ms of the server; 0 for a policy without one. */
  readonly latency: number;
}

interface Measured {
  readonly sessions: number;
  readonly turns: number;
  readonly failed: number;
  readonly wallMs: number;
  /** From the start of the first session to the end of the last: without the time that threads take to start. */
  readonly sessionsMs: number;
  /** Of the schedule played with the durations in the log. */
  readonly criticalPathMs: number;
  /** Of the schedule played with turns × latency: what a computer without costs would need. */
  readonly idealMs: number;
  /** User and system time of the process with all its threads. */
  readonly cpuMsPerTurn: number;
  readonly maxRssMb: number;
  /** Live objects at the end, after a collection. */
  readonly heapMb: number;
}

const main = fileURLToPath(new URL("./main.ts", import.meta.url));
const model = fileURLToPath(new URL("./server/computing-model.ts", import.meta.url));
const LATENCY = 100;
/** Contexts. */
const WARM_UP = 3;

export async function run(options: BenchOptions): Promise<void> {
  if (typeof options.worker === "string") {
    process.stdout.write(JSON.stringify(await measure(JSON.parse(options.worker) as Shape)));
    return;
  }
  const rounds = Number(options.rounds ?? 3);
  const say = (line: string) => options.json || console.error(line);
  const slow = await startServer(["--latency", String(options.latency ?? LATENCY)]);
  const quick = await startServer(["--latency", "5"]);
  try {
    const nested = { G: 8, N: 10, M: 20, concurrency: 64, pool: 0 };
    const openai = (server: Server): PolicySpec => ({ policy: "openai", model: "stand-in", baseURL: server.url });
    const served = {
      ...nested,
      policy: openai(slow),
      warmUp: openai(quick),
      latency: Number(options.latency ?? LATENCY),
      contexts: 1,
    };
    const schedules = repeat(rounds, () => measureApart(served));
    for (const row of schedules)
      say(
        `one context: wall ${ratio(row.wallMs, row.criticalPathMs)} of the critical path, ${ms(row.cpuMsPerTurn)} per turn`,
      );

    const growing = [1, 10, 50].map((contexts) => {
      const row = measureApart({ ...served, policy: openai(quick), latency: 5, G: 2, contexts });
      say(
        `${contexts} contexts: ${row.maxRssMb.toFixed(0)} MB at most, ${row.heapMb.toFixed(0)} MB live, ${ms(row.cpuMsPerTurn)} per turn`,
      );
      return { contexts, ...row };
    });

    const embedded = { policy: "langchain", module: `${model}#computing` };
    const computing = { ...nested, policy: embedded, warmUp: embedded, latency: 0, contexts: 4 };
    const pools = repeat(rounds, () => {
      const [none, two] = [0, 2].map((pool) => measureApart({ ...computing, pool }));
      say(`a policy that computes: pool 2 is ${ratio(none!.sessionsMs, two!.sessionsMs)}× pool 0`);
      return { none: none!, two: two! };
    });

    const summary = {
      wallOverCriticalPath: median(schedules.map((row) => row.wallMs / row.criticalPathMs)),
      wallOverIdeal: median(schedules.map((row) => row.wallMs / row.idealMs)),
      cpuMsPerTurn: median(schedules.map((row) => row.cpuMsPerTurn)),
      cpuMsPerTurnLongRun: growing.at(-1)!.cpuMsPerTurn,
      maxRssMbByContexts: growing.map(({ maxRssMb }) => maxRssMb),
      heapMbByContexts: growing.map(({ heapMb }) => heapMb),
      poolTwoOverNone: median(pools.map(({ none, two }) => none.sessionsMs / two.sessionsMs)),
    };
    if (options.json) console.log(JSON.stringify({ schedules, growing, pools, summary }, null, 2));
    else
      console.table(
        Object.entries(summary).map(([what, value]) => ({
          what,
          value: [value]
            .flat()
            .map((x) => +x.toFixed(2))
            .join(" → "),
        })),
      );
  } finally {
    slow.process.kill();
    quick.process.kill();
  }
}

const repeat = <Row>(rounds: number, measured: () => Row): Row[] => Array.from({ length: rounds }, measured);
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!;
const ratio = (a: number, b: number) => (a / b).toFixed(3);
const ms = (value: number) => `${value.toFixed(2)} ms CPU`;

interface Server {
  readonly url: string;
  readonly process: ChildProcess;
}

async function startServer(args: readonly string[]): Promise<Server> {
  const file = fileURLToPath(new URL("./server/main.ts", import.meta.url));
  const child = spawn(process.execPath, ["--import", "tsx", file, ...args], { stdio: ["pipe", "pipe", "inherit"] });
  const [line] = (await once(child.stdout!, "data")) as [Buffer];
  return { url: line.toString("utf8").trim(), process: child };
}

function measureApart(shape: Shape): Measured {
  const args = ["--expose-gc", "--import", "tsx", main, "rollouts", `--worker=${JSON.stringify(shape)}`];
  const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
  if (status !== 0) throw new Error(`${JSON.stringify(shape)}: ${stderr}`);
  return JSON.parse(stdout) as Measured;
}

async function measure(shape: Shape): Promise<Measured> {
  const parent = mkdtempSync(join(tmpdir(), "umagraph-bench-"));
  try {
    // other streams: what is measured is compiled code
    await sample(join(parent, "warm-up"), { ...shape, policy: shape.warmUp, contexts: WARM_UP, pool: 0 }, 2);
    globalThis.gc?.();
    const cpu = process.cpuUsage();
    const started = performance.now();
    const folder = join(parent, "measured");
    const result = await sample(folder, shape, 1);
    const wallMs = performance.now() - started;
    const { user, system } = process.cpuUsage(cpu);
    const maxRssMb = process.resourceUsage().maxRSS / 1024;
    globalThis.gc?.();
    const heapMb = process.memoryUsage().heapUsed / 2 ** 20;
    const records = readRecords(folder);
    const turns = records.reduce((sum, record) => sum + record.turns, 0);
    return {
      sessions: records.length,
      turns,
      failed: result.failed,
      wallMs,
      sessionsMs: spanOf(records),
      criticalPathMs: makespan(records, shape.concurrency, (record) => record.ms),
      idealMs: makespan(records, shape.concurrency, (record) => record.turns * shape.latency),
      cpuMsPerTurn: (user + system) / 1_000 / turns,
      maxRssMb,
      heapMb,
    };
  } finally {
    rmSync(parent, { recursive: true });
  }
}

function spanOf(records: readonly SessionRecord[]): number {
  const starts = records.map(({ started }) => Date.parse(started));
  return Math.max(...records.map(({ ms }, i) => starts[i]! + ms)) - Math.min(...starts);
}

async function sample(path: string, shape: Shape, seed: number) {
  const { policy: spec, contexts, G, N, M, concurrency, pool } = shape;
  const policy = await createPolicy(spec);
  const variant = await loadVariant("uma");
  const prompts = loadPrompts();
  createRunFolder(path, {
    ...{ v: 1, umagraph: "bench", name: "bench", created: new Date().toISOString(), seed, concurrency },
    benchmark: { name: "ledger-qa", config: { horizon: [N], contexts, seed } },
    variant: { spec: "uma", name: variant.name, paper: variant.paper },
    policy: { spec, name: policy.name, scripted: policy.scripted },
    toolset: "paper",
    prompts: { name: prompts.name, hash: prompts.hash },
    limits: SessionLimits.parse({}),
    rollout: { G, M },
    time: noTimeLimits,
  });
  const result = await evaluate({
    folder: openRunFolder(path),
    benchmark: await loadBenchmark("ledger-qa"),
    ...{ variant, policy, prompts },
    toolset: toolsets.paper,
    openSource: (chunks) => createSource(chunks),
    pool: { threads: pool, policy: spec, variant: "uma" },
  });
  if (!result.complete) throw new Error(`the run stopped: ${result.stopped}, ${result.lastFailure}`);
  return result;
}
