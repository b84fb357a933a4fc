/** The benches by name: what each measures, and the flags that it takes beside --json. */
import type { BenchOptions } from "./main.ts";

export interface Bench {
  readonly what: string;
  /** By name as on the command line. */
  readonly flags: Readonly<Record<string, string>>;
  /** Flags that a bench gives to processes of its own. */
  readonly inner?: readonly string[];
  /** Loaded only when run: most benches load half of the package. */
  readonly load: () => Promise<{ run(options: BenchOptions): Promise<unknown> }>;
}

export const benches: Readonly<Record<string, Bench>> = {
  sessions: {
    what: "model turns per second, CPU per turn and memory by horizon",
    flags: { horizons: "chunks per stream, e.g. 10,50 (default 10,50,500,5000)" },
    inner: ["worker", "driver", "horizon"],
    load: () => import("./sessions.ts"),
  },
  bank: {
    what: "writes, snapshots and listings of a 100,000-entry bank",
    flags: {},
    load: () => import("./bank.ts"),
  },
  rollouts: {
    what: "wall against critical path, CPU per turn, memory by contexts, threads",
    flags: {
      rounds: "how often each is measured; medians count (default 3)",
      latency: "ms that the server takes for a reply (default 100)",
    },
    inner: ["worker"],
    load: () => import("./rollouts.ts"),
  },
  advantages: {
    what: "compiling an update's sessions into learner passes",
    flags: { contexts: "contexts in the update (default 16)" },
    load: () => import("./advantages.ts"),
  },
  embedded: {
    what: "tokens per second of the embedded policy's network: one sequence, many, prompts",
    flags: { rounds: "how often each is measured (default 3)" },
    load: () => import("./embedded.ts"),
  },
  learner: {
    what: "the learner service against plain Hugging Face code, and what the protocol costs",
    flags: {
      rounds: "turns that either takes (default 5)",
      tokens: "tokens of the step that the protocol is measured on (default 100000)",
      model: "a Hugging Face folder: the same for a real model too",
      "real-rounds": "turns with --model (default 3)",
    },
    load: () => import("./learner.ts"),
  },
  update: {
    what: "whole updates at demo scale by what they are spent on; sampling ahead against in turn",
    flags: {
      updates: "updates of either run (default 5)",
      pool: "threads to sample on (default: the machine's cores)",
    },
    load: () => import("./update.ts"),
  },
  retrieval: {
    what: "build time, queries per second and recall",
    flags: {
      sizes: "numbers of sub-chunks (default 1000,10000,100000)",
      "wink-up-to": "largest size at which wink-bm25-text-search runs too (default 10000)",
      "hnsw-vectors": "largest size at which HNSW is built; 0: not at all (default 50000)",
      locomo: "path of locomo10.json: how much evidence each method finds",
    },
    load: () => import("./retrieval.ts"),
  },
};

/** Of one bench, or of all. */
export function benchHelp(names: readonly string[] = Object.keys(benches)): string {
  const lines = names.flatMap((name) => {
    const { what, flags } = benches[name]!;
    return [
      `  ${name.padEnd(12)} ${what}`,
      ...Object.entries(flags).map(([flag, description]) => `    ${`--${flag}`.padEnd(16)} ${description}`),
    ];
  });
  return ["npm run bench -- <name> [--json] [flags]", "", ...lines, "", "  --json prints the numbers as JSON."].join(
    "\n",
  );
}
