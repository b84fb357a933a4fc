/** `npm run bench -- <name> [--json] [flags]`: measurements as ratios within one run; never a test. */

const benches: Record<string, { what: string; load: () => Promise<{ run(options: BenchOptions): Promise<unknown> }> }> =
  {
    sessions: {
      what: "model turns per second, CPU per turn and memory by horizon",
      load: () => import("./sessions.ts"),
    },
    bank: { what: "writes, snapshots and listings of a 100,000-entry bank", load: () => import("./bank.ts") },
    rollouts: {
      what: "wall against critical path, CPU per turn, memory by contexts, threads",
      load: () => import("./rollouts.ts"),
    },
    advantages: { what: "compiling an update's sessions into learner passes", load: () => import("./advantages.ts") },
    embedded: {
      what: "tokens per second of the embedded policy's network: one sequence, many, prompts",
      load: () => import("./embedded.ts"),
    },
    learner: {
      what: "the learner service against plain Hugging Face code, and what the protocol costs",
      load: () => import("./learner.ts"),
    },
    update: {
      what: "whole updates at demo scale by what they are spent on; sampling ahead against in turn",
      load: () => import("./update.ts"),
    },
    retrieval: { what: "build time, queries per second and recall", load: () => import("./retrieval.ts") },
  };

export interface BenchOptions {
  readonly json: boolean;
  /** Every other flag, as given. */
  readonly [flag: string]: string | number | boolean | number[] | undefined;
}

const [name, ...rest] = process.argv.slice(2);
const bench = name === undefined ? undefined : benches[name];
if (!bench) {
  console.error(
    `npm run bench -- <name> [--json]\n${Object.entries(benches)
      .map(([id, { what }]) => `  ${id.padEnd(10)} ${what}`)
      .join("\n")}`,
  );
  process.exit(name === undefined || name === "--help" ? 0 : 2);
}
const options: Record<string, BenchOptions[string]> = {};
for (let i = 0; i < rest.length; i++) {
  const [flag = "", inline] = rest[i]!.replace(/^--/, "").split("=");
  const given = inline ?? (rest[i + 1]?.startsWith("--") === false ? rest[++i]! : "true");
  options[flag.replace(/-./g, (dash) => dash[1]!.toUpperCase())] = flagValue(flag, given);
}
await (await bench.load()).run({ ...options, json: options.json === true });

function flagValue(flag: string, given: string): BenchOptions[string] {
  if (flag === "sizes" || flag === "horizons") return given.split(",").map(Number);
  if (given === "true") return true;
  return Number.isFinite(Number(given)) ? Number(given) : given;
}
