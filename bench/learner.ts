/**
 * The learner service against plain Hugging Face code on the same work, and what the protocol adds to a step.
 *
 * Training and sampling are measured inside one Python process, in turns, in processor time (umagraph_learner.bench). With
 * `--model <folder>` the same for a real model, which nothing downloads.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { environmentPython, serviceFolder } from "../cli/learner/environment.mjs";
import { measureProtocol } from "./learner-protocol.ts";
import type { BenchOptions } from "./main.ts";

/** What umagraph_learner.bench prints. */
interface EngineReport {
  readonly model: string;
  readonly parameters: number;
  readonly training: {
    readonly tokens_per_second: Record<string, number>;
    readonly times_padded_loop: number;
    readonly times_padded_loop_tenth_trained: number;
  };
  readonly sampling: {
    readonly tokens_per_second: Record<string, number>;
    readonly times_generate: number;
    readonly times_generate_ragged: number;
  };
}

const TARGETS = { training: 1.5, sampling: 2, protocol: 0.05 };

/** Smaller work for a model some hundred times larger. */
const REAL = ["--sequences", "8", "--shortest", "16", "--longest", "192", "--prompts", "24", "--new-tokens", "24"];

export async function run(options: BenchOptions): Promise<void> {
  const [python, service] = [environmentPython(), serviceFolder];
  if (python === null || service === undefined) {
    console.error(
      "the learner's Python environment is not there: `umagraph learner start --model <folder>` makes it, or set UMAGRAPH_PYTHON",
    );
    process.exitCode = 2;
    return;
  }
  const folder = typeof options.model === "string" ? resolve(options.model) : null;
  if (folder !== null && !existsSync(join(folder, "config.json"))) {
    console.error(`--model: expected a Hugging Face folder with a config.json, got ${folder}`);
    process.exitCode = 2;
    return;
  }
  const say = (line: string) => options.json || console.error(line);
  const rounds = Number(options.rounds ?? 5);
  const measure = async (extra: readonly string[], what: string, turns: number) => {
    const report = await engineReport(python, service, ["--rounds", String(turns), ...extra]);
    say(`${what}: training ${report.training.times_padded_loop} ×, sampling ${report.sampling.times_generate} ×`);
    return report;
  };

  const protocol = await measureProtocol(python, service, { tokens: Number(options.tokens ?? 100_000), rounds });
  say(`protocol: ${percent(median(protocol.shares))} of the step at ${protocol.tokens} tokens`);
  const small = await measure([], "0.5 M parameters", rounds);
  const real = folder && (await measure(["--model", folder, ...REAL], folder, Number(options.realRounds ?? 3)));

  const engines = [small, ...(real ? [real] : [])];
  const summary = {
    timesPaddedLoop: engines.map(({ training }) => training.times_padded_loop),
    timesGenerate: engines.map(({ sampling }) => sampling.times_generate),
    protocolShare: median(protocol.shares),
    protocolShareRange: [Math.min(...protocol.shares), Math.max(...protocol.shares)],
    targets: TARGETS,
    met: {
      training: engines.map(({ training }) => training.times_padded_loop >= TARGETS.training),
      sampling: engines.map(({ sampling }) => sampling.times_generate >= TARGETS.sampling),
      protocol: median(protocol.shares) <= TARGETS.protocol,
    },
  };
  if (options.json) {
    console.log(JSON.stringify({ small, real, protocol, summary }, null, 2));
    return;
  }
  for (const { model, parameters, training, sampling } of engines) {
    console.log(`${model}, ${(parameters / 1e6).toFixed(1)} M parameters; tokens per second of processor time`);
    console.table({ ...training.tokens_per_second, ...sampling.tokens_per_second });
  }
  console.table(
    [
      ...engines.flatMap(({ model, training, sampling }) => [
        [`training, ${model}`, `${training.times_padded_loop} × the padded loop`, `≥ ${TARGETS.training} ×`],
        [`  a tenth trained`, `${training.times_padded_loop_tenth_trained} ×`, ""],
        [`sampling, ${model}`, `${sampling.times_generate} × generate`, `≥ ${TARGETS.sampling} ×`],
        [`  ragged lengths`, `${sampling.times_generate_ragged} ×`, ""],
      ]),
      [
        `protocol, ${protocol.tokens} tokens (${(protocol.bytes / 1e6).toFixed(1)} MB)`,
        `${percent(summary.protocolShare)} of ${protocol.stepMs.toFixed(0)} ms`,
        `≤ ${percent(TARGETS.protocol)}`,
      ],
    ].map(([what, measured, target]) => ({ what, measured, target })),
  );
  console.log(
    `protocol per round ${protocol.shares.map(percent).join(", ")}: encode ${protocol.encodeMs.toFixed(1)} ms, ` +
      `decode ${protocol.decodeMs.toFixed(1)} ms, the client altogether ${protocol.clientMs.toFixed(1)} ms; ` +
      `a step took ${protocol.stepWallMs.toFixed(0)} ms by the clock (${protocol.clock})`,
  );
}

async function engineReport(python: string, service: string, args: readonly string[]): Promise<EngineReport> {
  const child = spawn(python, ["-m", "umagraph_learner.bench", ...args], {
    cwd: service,
    env: { ...process.env, OMP_NUM_THREADS: "1", TRANSFORMERS_VERBOSITY: "error" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let [out, complaint] = ["", ""];
  child.stdout.on("data", (piece: Buffer) => {
    out += piece;
  });
  child.stderr.on("data", (piece: Buffer) => {
    complaint = (complaint + piece).slice(-4_000);
  });
  const [code] = (await once(child, "close")) as [number | null];
  if (code !== 0) throw new Error(`umagraph_learner.bench ended with ${code}: ${complaint}`);
  return JSON.parse(out) as EngineReport;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!;
const percent = (share: number) => `${(100 * share).toFixed(2)} %`;
