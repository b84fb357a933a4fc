/** What this machine has, as far as training asks. */
import { spawnSync } from "node:child_process";
import { cpus, totalmem } from "node:os";

export interface Machine {
  /** Bytes of main memory that this process may use. */
  readonly memory: number;
  readonly cores: number;
  /** The largest graphics card; null without one. `memory` in bytes. */
  readonly gpu: { readonly name: string; readonly memory: number } | null;
}

export function thisMachine(): Machine {
  // 0 or an absurd number where no limit is set
  const limit = process.constrainedMemory();
  const memory = limit > 0 ? Math.min(limit, totalmem()) : totalmem();
  return { memory, cores: cpus().length, gpu: largestGpu() };
}

function largestGpu(): Machine["gpu"] {
  const { status, stdout } = spawnSync(
    "nvidia-smi",
    ["--query-gpu=name,memory.total", "--format=csv,noheader,nounits"],
    { encoding: "utf8", timeout: 10_000 },
  );
  if (status !== 0) return null;
  const cards = stdout
    .trim()
    .split("\n")
    .map((line) => line.split(/,\s*/))
    .map(([name = "", mebibytes]) => ({ name, memory: Number(mebibytes) * 2 ** 20 }))
    .filter(({ memory }) => memory > 0);
  return cards.sort((a, b) => b.memory - a.memory)[0] ?? null;
}
