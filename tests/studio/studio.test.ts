/** What LangGraph Studio needs: every graph listed and served, breakpoints that a person can use, an example that runs. */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { environmentPython } from "../../cli/learner/environment.mjs";

const root = resolve(import.meta.dirname, "../..");
const run = promisify(execFile);
const umagraph = (...args: string[]) =>
  run(process.execPath, [join(root, "cli", "umagraph.mjs"), ...args], { cwd: root });

const { graphs } = JSON.parse(readFileSync(join(root, "langgraph.json"), "utf8")) as { graphs: Record<string, string> };

it("langgraph.json lists what the studio modules export, and graphs of the built-in variants", async () => {
  const modules: Record<string, object> = {
    "./graphs/studio.ts": await import("../../graphs/studio.ts"),
    "./rollouts/studio.ts": await import("../../rollouts/studio.ts"),
    "./trainers/graph/studio.ts": await import("../../trainers/graph/studio.ts"),
  };
  const exported = Object.entries(modules).flatMap(([file, module]) =>
    Object.keys(module).map((name) => `${file}:${name}`),
  );
  expect(Object.values(graphs).sort()).toEqual(exported.sort());
  for (const [id, path] of Object.entries(graphs)) expect(path.split(":")[1]).toBe(id);
  // the agent is uma's graph
  expect(Object.keys(graphs)).toEqual(expect.arrayContaining(["agent", "rag", "concat", "rollout"]));
});

it("the served graphs stream, stop before the tools, take an edit and go on; a rollout's table is what sampling gives; an update is stepped through", async () => {
  const { stdout } = await umagraph("studio", "--check", "--json", "--quiet");
  const { steps } = JSON.parse(stdout) as { steps: { name: string; ok: boolean; seen: string }[] };
  expect(steps.filter((step) => !step.ok)).toEqual([]);
  expect(steps).toHaveLength(9);
  const { seen } = steps.at(-1)!;
  if (environmentPython() === null) expect(seen).toMatch(/^skipped: the learner's Python environment is not there/);
  else expect(seen).toMatch(/^9 stops, 16 memory and 16 QA sessions, /);
}, 400_000);

it("the trainer is printed with its steps in a circle", async () => {
  const { stdout } = await umagraph("graph", "trainer");
  for (const edge of ["collect -.-> reward", "update -.-> publish", "evaluate -.-> collect", "evaluate -.-> closeRun"])
    expect(stdout).toContain(edge);
});

it("a graph is printed as Mermaid with its sessions inside", async () => {
  const { stdout } = await umagraph("graph", "agent", "--xray");
  expect(stdout).toContain("memorize_readChunk_executeTools");
  expect(stdout).toContain("answer_askMemory_sampleAction");
});

it("the rollout graph is printed with a session inside each trajectory and each answer", async () => {
  const { stdout } = await umagraph("graph", "rollout", "--xray");
  expect(stdout).toContain("trajectory_memorize_readChunk_executeTools");
  expect(stdout).toContain("answer_askMemory_sampleAction");
});

it("phase I and II run as nodes of somebody else's graph", async () => {
  const { stdout } = await run(process.execPath, ["--import", "tsx", join(root, "examples", "subgraph.ts")], {
    cwd: root,
  });
  expect(stdout).toContain("no model");
  expect(stdout).toMatch(/^A: 20 May 2024$/m); // without the box that scoring reads
});
