#!/usr/bin/env node
// Entry of the `umagraph` command: the compiled package when there is one, the TypeScript sources in a clone.
import { existsSync } from "node:fs";

const [major, minor] = process.versions.node.split(".").map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`umagraph needs Node 20.19 or newer; this is ${process.version}`);
  process.exit(2);
}
const sources = new URL("./main.ts", import.meta.url);
const compiled = new URL("../dist/cli/main.js", import.meta.url);
if (existsSync(sources)) {
  const { register: registerTsx } = await import("tsx/esm/api");
  registerTsx();
  const { main } = await import(sources.href);
  process.exitCode = await main(process.argv.slice(2));
} else {
  const { main } = await import(compiled.href);
  process.exitCode = await main(process.argv.slice(2));
}
