/**
 * What the protocol costs per update: the same datums through the client and a service process on loopback, and its parts alone.
 *
 * The small model is the hard case: a larger one takes longer for the same bytes. Processor time where the system tells it of
 * another process (Linux), since a busy machine stretches the wall clock of all parts by different factors.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as wait } from "node:timers/promises";
import { rng } from "../base/rng.ts";
import { createLearnerClient } from "../learner/client/learner-client.ts";
import { defaultLimits } from "../learner/client/limits.ts";
import { partsOf } from "../learner/client/parts.ts";
import type { TrainedModel } from "../learner/client/trained-model.ts";
import type { Datum } from "../learner/wire/datum.ts";
import { protoDialect } from "../learner/wire/proto-dialect.ts";

export interface ProtocolCost {
  readonly tokens: number;
  readonly datums: number;
  readonly bytes: number;
  /** Client encode + server decode over the step (forward_backward and optim_step in the service), per round. */
  readonly shares: readonly number[];
  readonly encodeMs: number;
  readonly decodeMs: number;
  /** All that the client's process did during an update, HTTP and waiting for the result included. */
  readonly clientMs: number;
  readonly stepMs: number;
  readonly stepWallMs: number;
  readonly clock: string;
}

const CONFIG = { clip_low_threshold: 0.8, clip_high_threshold: 1.2, kl_beta: 0.001, kl_kind: 3 };

/** `python` is the learner's, `service` the folder learner/service. */
export async function measureProtocol(
  python: string,
  service: string,
  { tokens, rounds }: { readonly tokens: number; readonly rounds: number },
): Promise<ProtocolCost> {
  const folder = mkdtempSync(join(tmpdir(), "umagraph-bench-learner-"));
  const started: ChildProcess[] = [];
  try {
    const make = "import sys; from pathlib import Path; from umagraph_learner.bench import small_model";
    execFileSync(python, ["-c", `${make}; small_model(Path(sys.argv[1]))`, join(folder, "model")], { cwd: service });
    const { url, child } = await startService(python, service, folder, started);
    const client = await createLearnerClient({ baseURL: url, wire: "proto" });
    const model = await client.createModel({ baseModel: "small", full: true });
    const data = updateOf(tokens);
    const bodies = encode(data, model.modelId);
    const files = bodies.map((_, i) => join(folder, `body-${i}`));
    files.forEach((file, i) => {
      writeFileSync(file, bodies[i]!);
    });
    const decode = await startDecoder(python, service, files, started);

    const rows: { encode: number; decode: number; client: number; step: number; wall: number }[] = [];
    for (let round = -1; round < rounds; round++) {
      const encoded = cpuOf(() => encode(data, model.modelId));
      const decoded = await decode();
      const row = { encode: encoded, decode: decoded, ...(await updateOnce(model, data, child.pid!)) };
      if (round >= 0) rows.push(row); // the first round warms up
    }
    await client.close();
    return {
      tokens: data.reduce((sum, { modelInput }) => sum + modelInput.length, 0),
      datums: data.length,
      bytes: bodies.reduce((sum, { byteLength }) => sum + byteLength, 0),
      shares: rows.map((row) => (row.encode + row.decode) / row.step),
      encodeMs: median(rows.map((row) => row.encode)),
      decodeMs: median(rows.map((row) => row.decode)),
      clientMs: median(rows.map((row) => row.client)),
      stepMs: median(rows.map((row) => row.step)),
      stepWallMs: median(rows.map((row) => row.wall)),
      clock: processorMs(child.pid!) === null ? "encode and decode: processor; step: wall" : "processor time",
    };
  } finally {
    for (const child of started) {
      child.kill();
      if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    }
    rmSync(folder, { recursive: true });
  }
}

/** Ragged sessions of 100 to 2,000 tokens, a tenth of them sampled, with old and reference log-probabilities: the dearest datums we ship. */
function updateOf(tokens: number): Datum[] {
  const draw = rng("bench", "learner");
  const data: Datum[] = [];
  for (let left = tokens; left > 0; ) {
    const length = Math.min(left, draw.int(100, 2_000));
    left -= length;
    const numbers = (value: () => number) =>
      Float32Array.from({ length }, (_, t) => (t % 50 >= 45 || t === length - 1 ? value() : 0));
    data.push({
      modelInput: Int32Array.from({ length }, () => draw.int(5, 599)),
      lossFnInputs: {
        target_tokens: Int32Array.from({ length }, () => draw.int(5, 599)),
        logprobs: numbers(() => -6 - draw.next()),
        advantages: numbers(() => (draw.next() - 0.5) / tokens),
        ref_logprobs: numbers(() => -6 - draw.next()),
        kl_weights: numbers(() => 1 / tokens),
      },
    });
  }
  return data;
}

/** As the client does it: checked, cut into bodies, written. */
function encode(data: readonly Datum[], modelId: string): Uint8Array[] {
  const parts = partsOf(data, () => protoDialect, defaultLimits);
  return Array.from(parts, ({ encoded }, i) => {
    const call = { modelId, seqId: i + 1, lossFn: "ppo", config: CONFIG, forwardOnly: false };
    return protoDialect.body(call, encoded as Parameters<typeof protoDialect.body>[1]).bytes as Uint8Array;
  });
}

async function updateOnce(model: TrainedModel, data: readonly Datum[], pid: number) {
  const service = processorMs(pid);
  const own = process.cpuUsage();
  const started = performance.now();
  await Promise.all([model.forwardBackward(data, "ppo", CONFIG), model.optimStep({ learningRate: 1e-5 })]);
  const wall = performance.now() - started;
  const used = process.cpuUsage(own);
  return {
    client: (used.user + used.system) / 1_000,
    step: service === null ? wall : processorMs(pid)! - service,
    wall,
  };
}

async function startService(python: string, service: string, folder: string, started: ChildProcess[]) {
  const ready = join(folder, "ready.json");
  const args = ["--model", join(folder, "model"), "--name", "small", "--device", "cpu", "--port", "0"];
  const child = spawn(
    python,
    ["-m", "umagraph_learner", ...args, "--ready-file", ready, "--checkpoints", join(folder, "checkpoints")],
    { cwd: service, stdio: ["ignore", "ignore", "pipe"] },
  );
  started.push(child);
  let log = "";
  child.stderr.on("data", (piece: Buffer) => {
    log = (log + piece).slice(-4_000);
  });
  while (!existsSync(ready)) {
    if (child.exitCode !== null) throw new Error(`the learner service ended with ${child.exitCode}: ${log}`);
    await wait(50);
  }
  return { url: JSON.parse(readFileSync(ready, "utf8")).url as string, child };
}

/** Processor milliseconds of a process since its start, to 10 ms; null where the system does not say. */
function processorMs(pid: number): number | null {
  if (process.platform !== "linux") return null;
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /s, "")
    .split(" ");
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** What the service does with a body before the engine has it, in a process of its own; each call gives milliseconds. */
async function startDecoder(python: string, service: string, files: readonly string[], started: ChildProcess[]) {
  const code = `
import sys, time
from pathlib import Path
from umagraph_learner.wire import proto_codec
from umagraph_learner.wire.forward_call import content_digest
bodies = [Path(name).read_bytes() for name in sys.argv[1:]]
for _ in sys.stdin:
    start = time.process_time()
    for body in bodies:
        call = proto_codec.read_forward(body)
        content_digest(call.content(), call.forward_only)
    print(1000 * (time.process_time() - start), flush=True)
`;
  const child = spawn(python, ["-c", code, ...files], { cwd: service, stdio: ["pipe", "pipe", "inherit"] });
  started.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async () => {
    child.stdin.write("\n");
    const { value, done } = await lines.next();
    if (done) throw new Error("the process that decodes has ended");
    return Number(value);
  };
}

function cpuOf(work: () => unknown): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}

const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[values.length >> 1]!;
