/** Starts the learner service as a process of its own, and waits until it answers. */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type ErrorCode, messageOf, UmaError } from "../../base/errors.ts";
import { ensureEnvironment, serviceFolder } from "./environment.mjs";
import { rememberService, type ServiceState, stateFolder } from "./service-state.ts";

export interface StartOptions {
  /** A folder in Hugging Face layout, or a hub id. */
  readonly model: string;
  readonly device: "auto" | "cpu" | "cuda";
  readonly full: boolean;
  readonly loraRank?: number | undefined;
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  readonly checkpoints: string;
  readonly apiKeyFile?: string | undefined;
  readonly threads: number;
  /** Ends with this process, however that ends. Default: it goes on until it is stopped. */
  readonly child?: boolean;
  /** Where it writes what it says (default: a file of its own in the state folder). */
  readonly log?: string;
  /** Seconds to load the model and answer. */
  readonly wait: number;
  /** Told what goes on, now and then. */
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** Throws `config` when the environment cannot be made or the service ends at once; what it said is in the message. */
export async function startService(options: StartOptions): Promise<ServiceState> {
  const { say, signal } = options;
  const python = await ensureEnvironment({ say, signal }).catch((cause: unknown) => {
    throw signal?.aborted ? givenUp(cause) : new UmaError("config", messageOf(cause), { cause });
  });
  const folder = stateFolder();
  mkdirSync(folder, { recursive: true });
  const started = new Date().toISOString();
  const log = options.log ?? join(folder, `${started.replace(/[:.]/g, "-")}-${process.pid}.log`);
  const scratch = mkdtempSync(join(tmpdir(), "umagraph-learner-"));
  const ready = join(scratch, "ready.json");
  const out = openSync(log, "a");
  const child = spawn(python, ["-m", "umagraph_learner", ...argumentsOf(options), "--ready-file", ready], {
    cwd: process.cwd(),
    env: { ...process.env, PYTHONPATH: serviceFolder, OMP_NUM_THREADS: String(options.threads) },
    stdio: ["ignore", out, out],
    detached: true,
  });
  closeSync(out);
  try {
    const { url, pid } = await waitUntilReady(child, ready, log, options);
    const state = { url, pid, model: options.model, log, started, checkpoints: resolve(options.checkpoints) };
    rememberService(state);
    child.unref();
    return state;
  } catch (thrown) {
    child.kill("SIGTERM");
    throw thrown;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function argumentsOf(options: StartOptions): string[] {
  const { model, device, full, loraRank, host, port, checkpoints, apiKeyFile, threads, child } = options;
  return [
    ...["--model", existsSync(model) ? resolve(model) : model, "--device", device],
    ...(full ? ["--full"] : []),
    ...(loraRank === undefined ? [] : ["--lora-rank", String(loraRank)]),
    ...["--host", host, "--port", String(port), "--checkpoints", resolve(checkpoints), "--threads", String(threads)],
    ...(apiKeyFile === undefined ? [] : ["--api-key-file", resolve(apiKeyFile)]),
    ...(child ? ["--parent", String(process.pid)] : []),
  ];
}

async function waitUntilReady(
  child: ChildProcess,
  ready: string,
  log: string,
  { wait, say, signal }: StartOptions,
): Promise<{ url: string; pid: number }> {
  let ended: string | null = null;
  child.once("error", (cause) => {
    ended = cause.message;
  });
  child.once("exit", (code, by) => {
    ended = `it ended with ${code === null ? by : `code ${code}`}`;
  });
  const begun = performance.now();
  for (let said = begun; ; ) {
    if (existsSync(ready)) {
      const text = readFileSync(ready, "utf8");
      if (text.endsWith("}") || text.endsWith("}\n")) return JSON.parse(text);
    }
    if (ended !== null)
      throw new UmaError(failureCode(child.exitCode), `the learner did not start: ${ended}\n${lastLines(log)}`, {
        fix: `its whole log: ${log}`,
      });
    if (signal?.aborted) throw givenUp();
    const waited = (performance.now() - begun) / 1_000;
    if (waited > wait) {
      throw new UmaError("config", `the learner gave no answer within ${wait} s\n${lastLines(log)}`, {
        fix: `a large model takes longer: --wait; its log: ${log}`,
      });
    }
    if (performance.now() - said > 5_000) {
      said = performance.now();
      say(`learner: loading (${Math.round(waited)} s)`);
    }
    await sleep(100);
  }
}

const givenUp = (cause?: unknown) => new UmaError("cancelled", "stopped while the learner was starting", { cause });

/** The service's own exit codes, in the words of this command line. */
const failureCode = (code: number | null): ErrorCode => (code === 3 ? "conflict" : code === 6 ? "store" : "config");

function lastLines(log: string): string {
  const lines = readFileSync(log, "utf8").trim().split("\n");
  return lines.slice(-4).join("\n");
}
