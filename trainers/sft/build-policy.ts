/**
 * `npm run build:policy`: the embedded policy and the start of the RL demo, made anew by their recipes, each by its command.
 * Hours of one core. What was stopped goes on where it was; what is complete is only exported and scored again.
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** In this order: each begins with what the one before has made. */
const parts = [
  { recipe: "sft-first", to: null },
  { recipe: "sft-second", to: null },
  { recipe: "sft-third", to: null },
  { recipe: "sft-fourth", to: null },
  { recipe: "sft-expert", to: "assets/embedded-policy" },
  { recipe: "cold-start", to: "assets/cold-start" },
] as const;

for (const { recipe, to } of parts) {
  const folder = join("runs", recipe);
  const begun = existsSync(join(root, folder, "training.json"));
  const train = begun ? ["--resume", folder] : [recipe, "--out", folder];
  const args = ["train", ...train, ...(to === null ? [] : ["--to", to]), ...process.argv.slice(2)];
  console.error(`umagraph ${args.join(" ")}`);
  const { status } = spawnSync(process.execPath, [join(root, "cli", "umagraph.mjs"), ...args], {
    cwd: root,
    stdio: "inherit",
  });
  if (status !== 0) process.exit(status ?? 1);
}
