/** Our own training service as a process, on a tiny random model; there when its Python environment is. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { environmentPython } from "../../cli/learner/environment.mjs";

const service = resolve(import.meta.dirname, "..", "..", "learner", "service");

export const servicePython: string | null = environmentPython();

export const whyNoService =
  "the learner's Python environment is not there: umagraph learner start makes it, or set UMAGRAPH_PYTHON";

export interface RunningService {
  readonly url: string;
  readonly log: () => string;
  stop(): Promise<void>;
}

export async function startLearnerService(extra: readonly string[] = []): Promise<RunningService> {
  const python = servicePython!;
  const folder = mkdtempSync(join(tmpdir(), "umagraph-service-"));
  const model = join(folder, "model");
  const make =
    "import sys; from pathlib import Path; from tiny_model import make_tiny_model; make_tiny_model(Path(sys.argv[1]))";
  execFileSync(python, ["-c", make, model], { cwd: join(service, "tests"), stdio: ["ignore", "ignore", "pipe"] });
  const ready = join(folder, "ready.json");
  const args = [
    "--model",
    model,
    "--name",
    "tiny",
    "--device",
    "cpu",
    "--port",
    "0",
    "--ready-file",
    ready,
    "--threads",
    "1",
  ];
  const child = spawn(
    python,
    ["-m", "umagraph_learner", ...args, "--checkpoints", join(folder, "checkpoints"), ...extra],
    {
      cwd: service,
      stdio: ["ignore", "pipe", "pipe"],
    },
  );
  let log = "";
  const keep = (piece: Buffer) => {
    log = (log + piece).slice(-20_000);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const ended = new Promise<void>((resolve) => child.once("exit", () => resolve()));
  while (!existsSync(ready)) {
    if (child.exitCode !== null) throw new Error(`the service ended with ${child.exitCode}: ${log}`);
    await wait(50);
  }
  return {
    url: JSON.parse(readFileSync(ready, "utf8")).url,
    log: () => log,
    async stop() {
      child.kill();
      const killed = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await ended;
      clearTimeout(killed);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
