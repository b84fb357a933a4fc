// `npm run build`: the compiled package in dist/, with the prompt files that the code reads beside itself.
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
for (const file of readdirSync(join(root, "nodes", "prompts"), { recursive: true, encoding: "utf8" }))
  if (file.endsWith(".md")) cpSync(join(root, "nodes", "prompts", file), join(dist, "nodes", "prompts", file));
console.error("umagraph: built dist/");
