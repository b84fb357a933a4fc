// `npm run build`: the compiled package in dist/.
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const dist = join(root, "dist");
rmSync(dist, { recursive: true, force: true });
const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
const { status } = spawnSync(process.execPath, [tsc, "-p", join(root, "tsconfig.build.json")], { stdio: "inherit" });
if (status !== 0) process.exit(status ?? 1);
// what the code reads beside itself, by folder and ending
for (const [folder, ending] of [
  ["nodes/prompts", ".md"],
  ["cli/learner", ".mjs"],
  ["evals/reports/html/page", ".mjs"],
  ["evals/reports/html/page", ".css"],
  ["trainers/report/html", ".css"],
])
  for (const file of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }))
    if (file.endsWith(ending)) cpSync(join(root, folder, file), join(dist, folder, file));
console.error("umagraph: built dist/");
