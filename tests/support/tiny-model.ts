/** A tiny random model as a Hugging Face folder, made by the service's own test code. */
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { servicePython } from "./learner-service.ts";

const tests = resolve(import.meta.dirname, "..", "..", "learner", "service", "tests");

/** `context`: tokens that fit into it; the default holds a whole short session. Gives the folder back. */
export function tinyModel(folder: string, { context = 4_096 } = {}): string {
  const make =
    "import sys; from pathlib import Path; from tiny_model import make_tiny_model; make_tiny_model(Path(sys.argv[1]))";
  execFileSync(servicePython!, ["-c", make, folder], { cwd: tests, stdio: ["ignore", "ignore", "pipe"] });
  const config = join(folder, "config.json");
  const read = JSON.parse(readFileSync(config, "utf8"));
  writeFileSync(config, JSON.stringify({ ...read, max_position_embeddings: context }));
  return folder;
}
