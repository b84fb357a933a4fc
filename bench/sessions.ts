/**
 * Framework cost of sessions: Ledger-QA streams read by a zero-latency policy that makes real tool calls.
 *
 * The policy knows each session's writes beforehand, so what is measured is umagraph: prompts, budgets, tools, bank,
 * records. Loop and graph driver run the same sessions. One process per horizon, so that memory is the horizon's own.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { AIMessage } from "@langchain/core/messages";
import { ledgerQaConfig } from "../evals/benchmarks/ledger-qa/config.ts";
import { generateLedgerQa } from "../evals/benchmarks/ledger-qa/generate.ts";
import { runSession } from "../graphs/run-session.ts";
import { createSessionGraph } from "../graphs/session.ts";
import { bankSize, emptyBank } from "../memory/bank.ts";
import { loadPrompts } from "../nodes/prompts/prompts.ts";
import { SessionLimits } from "../nodes/session/limits.ts";
import { liveObjects } from "../nodes/session/live-objects.ts";
import type { Session, SessionUpdate } from "../nodes/session/state.ts";
import type { Policy, SampleRequest } from "../policies/policy.ts";
import { estimateTokens } from "../policies/token-estimator.ts";
import { toolsets } from "../tools/toolsets.ts";
import type { BenchOptions } from "./main.ts";

interface Row {
  readonly driver: "loop" | "graph";
  readonly horizon: number;
  readonly turns: number;
  readonly turnsPerSecond: number;
  readonly cpuMicrosPerTurn: number;
  readonly maxRssMb: number;
  readonly entries: number;
}

/** Graph sessions are slow enough that a part of the stream gives the same figure. */
const GRAPH_SESSIONS = 200;

export async function run(options: BenchOptions): Promise<void> {
  if (options.worker) {
    const row = await measure(options.driver as Row["driver"], Number(options.horizon));
    process.stdout.write(JSON.stringify(row));
    return;
  }
  const horizons = (options.horizons as number[] | undefined) ?? [10, 50, 500, 5_000];
  const rows: Row[] = [];
  for (const driver of ["loop", "graph"] as const) {
    for (const horizon of horizons) {
      const args = [
        "--import",
        "tsx",
        fileURLToPath(new URL("./main.ts", import.meta.url)),
        "sessions",
        "--worker",
        `--driver=${driver}`,
        `--horizon=${horizon}`,
      ];
      const { stdout, stderr, status } = spawnSync(process.execPath, args, { encoding: "utf8" });
      if (status !== 0) throw new Error(`${driver} at ${horizon}: ${stderr}`);
      const row = JSON.parse(stdout) as Row;
      rows.push(row);
      if (!options.json) console.error(`${driver} H=${horizon}: ${Math.round(row.turnsPerSecond)} turns/s`);
    }
  }
  const loop = rows.filter((row) => row.driver === "loop");
  const summary = {
    cpuRatioLongestToShortest: loop.at(-1)!.cpuMicrosPerTurn / loop[0]!.cpuMicrosPerTurn,
    graphOverLoop: rows.find((row) => row.driver === "graph")!.cpuMicrosPerTurn / loop[0]!.cpuMicrosPerTurn,
  };
  if (options.json) console.log(JSON.stringify({ rows, summary }, null, 2));
  else {
    console.table(
      rows.map((row) => ({
        ...row,
        turnsPerSecond: Math.round(row.turnsPerSecond),
        cpuMicrosPerTurn: Math.round(row.cpuMicrosPerTurn),
        maxRssMb: Math.round(row.maxRssMb),
      })),
    );
    console.log(
      `CPU per turn, H=${loop.at(-1)!.horizon} over H=${loop[0]!.horizon}: ${summary.cpuRatioLongestToShortest.toFixed(2)}`,
    );
    console.log(`CPU per turn, graph over loop: ${summary.graphOverLoop.toFixed(0)}`);
  }
}

async function measure(driver: Row["driver"], horizon: number): Promise<Row> {
  // a long warm-up on another stream, and short streams read many times: otherwise short horizons measure the compiler
  await readStream(driver, await streamOf(driver === "loop" ? 1_000 : 50, "warm-up"));
  const stream = await streamOf(horizon, "measured");
  const repeats = Math.max(1, Math.ceil((driver === "loop" ? 2_000 : 100) / horizon));
  globalThis.gc?.();
  const cpu = process.cpuUsage();
  const started = performance.now();
  let turns = 0;
  let entries = 0;
  for (let i = 0; i < repeats; i++) {
    const read = await readStream(driver, stream);
    turns += read.turns;
    entries = read.entries;
  }
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return {
    driver,
    horizon,
    turns,
    turnsPerSecond: turns / seconds,
    cpuMicrosPerTurn: (user + system) / turns,
    maxRssMb: process.resourceUsage().maxRSS / 1024,
    entries,
  };
}

interface Stream {
  readonly chunks: readonly string[];
  /** Per session: what the ledger did there, as tool calls. */
  readonly writes: readonly (readonly ToolUse[])[];
}

interface ToolUse {
  readonly name: string;
  readonly args: { readonly title: string; readonly content?: string };
}

async function streamOf(horizon: number, name: "warm-up" | "measured"): Promise<Stream> {
  const seed = name === "measured" ? 1 : 2;
  for await (const line of generateLedgerQa(ledgerQaConfig.parse({ horizon, contexts: 1, seed, profile: "micro" }))) {
    const writes: ToolUse[][] = line.chunks.map(() => []);
    line.ledger.forEach((transaction, i) => {
      const title = `${transaction.date} ${transaction.scene} ${i + 1}`;
      for (const { op, session, after } of transaction.history) {
        const content = `${transaction.date} | ${transaction.scene} | ${transaction.subscene} | ${after}`;
        const use: ToolUse =
          op === "record"
            ? { name: "memory_add", args: { title, content } }
            : after === null
              ? { name: "memory_delete", args: { title } }
              : { name: "memory_update", args: { title, content } };
        writes[session]?.push(use);
      }
    });
    return { chunks: line.chunks, writes };
  }
  throw new Error("the generator gave no context");
}

async function readStream(driver: Row["driver"], stream: Stream): Promise<{ turns: number; entries: number }> {
  const live = liveObjects();
  let turns = 0;
  let core = "";
  let memoryRef = live.keepBank(emptyBank);
  const current = { k: 0 };
  const deps = {
    policy: knowingPolicy(stream, current),
    toolset: toolsets.paper,
    prompts: loadPrompts(),
    limits: SessionLimits.parse({}),
    live,
    variant: "bench",
    // records are made, as in a real run, and dropped
    record: () => {},
  };
  const graph = driver === "graph" ? createSessionGraph(deps) : null;
  const sessions = driver === "graph" ? Math.min(stream.chunks.length, GRAPH_SESSIONS) : stream.chunks.length;
  for (let k = 0; k < sessions; k++) {
    current.k = k;
    const input: SessionUpdate = { stage: "memory", core, focus: stream.chunks[k]!, position: k, memoryRef };
    const session = (
      graph ? await graph.invoke(input, { recursionLimit: 200 }) : await runSession(input, deps)
    ) as Session;
    turns += session.turn;
    core = session.outcome?.text ?? core;
    memoryRef = session.memoryRef;
  }
  return { turns, entries: bankSize(live.bank(memoryRef)) };
}

/** One turn that lists, one per write (add, update, delete), one that reads the last write back, then the core. */
function knowingPolicy(stream: Stream, current: { k: number }): Policy {
  return {
    name: "bench",
    scripted: true,
    weights: null,
    countTokens: estimateTokens,
    async sample({ messages }: SampleRequest) {
      const writes = stream.writes[current.k] ?? [];
      const turn = messages.filter((message) => message.getType() === "ai").length;
      const call = (name: string, args: Record<string, unknown>) => {
        const id = `c${turn}`;
        return {
          message: new AIMessage({ content: "", tool_calls: [{ id, name, args, type: "tool_call" }] }),
          text: "",
          calls: [{ id, name, args, error: null, repaired: false }],
          usage: null,
          cut: null,
        };
      };
      const write = writes[turn - 1];
      const last = writes.at(-1);
      if (turn === 0) return call("memory_list", { filter: writes[0]?.args.title.slice(0, 10) ?? "2024" });
      if (write) return call(write.name, { ...write.args });
      if (turn === writes.length + 1 && last && last.name !== "memory_delete")
        return call("memory_key_retrieve", { title: last.args.title });
      const text = "A user reports daily spending by category.";
      return { message: new AIMessage(text), text, calls: [], usage: null, cut: null };
    },
  };
}
