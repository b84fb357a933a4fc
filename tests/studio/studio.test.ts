/** What LangGraph Studio needs: every graph listed and served, breakpoints that a person can use, an example that runs. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const umagraph = (...args: string[]) =>
  run(process.execPath, [join(root, "cli", "umagraph.mjs"), ...args], { cwd: root });

const { graphs } = JSON.parse(readFileSync(join(root, "langgraph.json"), "utf8")) as { graphs: Record<string, string> };

it("langgraph.json lists what graphs/studio.ts exports, and graphs of the built-in variants", async () => {
  const exported = Object.keys(await import("../../graphs/studio.ts")).sort();
  expect(
    Object.values(graphs)
      .map((path) => path.split(":")[1])
      .sort(),
  ).toEqual(exported);
  // the agent is uma's graph
  expect(Object.keys(graphs)).toEqual(expect.arrayContaining(["agent", "rag", "concat"]));
});

it("the served graphs stream, stop before the tools, take an edit and go on", async () => {
  const { stdout } = await umagraph("studio", "--check", "--json", "--quiet");
  const { steps } = JSON.parse(stdout) as { steps: { name: string; ok: boolean; seen: string }[] };
  expect(steps.filter((step) => !step.ok)).toEqual([]);
  expect(steps).toHaveLength(6);
}, 120_000);

it("a graph is printed as Mermaid with its sessions inside", async () => {
  const { stdout } = await umagraph("graph", "agent", "--xray");
  expect(stdout).toContain("memorize_readChunk_executeTools");
  expect(stdout).toContain("answer_askMemory_sampleAction");
});

it("phase I and II run as nodes of somebody else's graph", async () => {
  const { stdout } = await run(process.execPath, ["--import", "tsx", join(root, "examples", "subgraph.ts")], {
    cwd: root,
  });
  expect(stdout).toContain("no model");
  expect(stdout).toMatch(/^A: 20 May 2024$/m); // without the box that scoring reads
});
