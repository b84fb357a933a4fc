/** umagraph rollout and what reads its folder, through the real command. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { json, runHere, temporaryFolder } from "./run-cli.ts";

const cwd = temporaryFolder();
const words = ["rollout", "ledger-qa", "--profile", "micro", "--horizon", "3", "--contexts", "2", "--seed", "3"];
const sampled = [...words, "--G", "3", "--M", "4", "--policy", "ledger-expert", "--noise", "0.3", "--no-html"];
const run = (...args: string[]) => runHere(args, { cwd });

describe("umagraph rollout", () => {
  beforeAll(async () => {
    expect(await run(...sampled, "--out", "a", "--quiet")).toMatchObject({ code: 0 });
  });

  it("writes every session of G trajectories and M questions, with rewards and advantages", async () => {
    const ran = json<{ G: number; credit: unknown; sessions: unknown; rollout: unknown }>(
      await run(...sampled, "--out", "counted", "--json"),
    );
    expect(ran).toMatchObject({
      complete: true,
      rollout: { G: 3, M: 4 },
      sessions: { done: 2 * 3 * (3 + 4), failed: 0 },
    });
    const lines = (file: string) =>
      readFileSync(join(cwd, "counted", file), "utf8")
        .trim()
        .split("\n");
    expect(lines("records.jsonl")).toHaveLength(42);
    expect(lines("rewards.jsonl")).toHaveLength(42);
    expect(lines("advantages.jsonl")).toHaveLength(42);
    expect(lines("scores.jsonl")).toHaveLength(2 * 3 * 4);
  });

  it("gives the same log for any concurrency, and diff says so", async () => {
    expect(await run(...sampled, "--out", "b", "--concurrency", "1", "--quiet")).toMatchObject({ code: 0 });
    expect(await run("diff", "a", "b")).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^identical: 42 sessions/),
    });
    const other = sampled.map((word) => (word === "0.3" ? "0.6" : word));
    expect(await run(...other, "--out", "noisier", "--quiet")).toMatchObject({ code: 0 });
    expect(await run("diff", "a", "noisier")).toMatchObject({ code: 1 });
  });

  it("goes on where a log breaks off, and replays what is there", async () => {
    expect(await run(...sampled, "--out", "torn", "--quiet")).toMatchObject({ code: 0 });
    const log = join(cwd, "torn", "records.jsonl");
    const lines = readFileSync(log, "utf8").trim().split("\n");
    writeFileSync(log, `${lines.slice(0, 17).join("\n")}\n${lines[17]!.slice(0, 40)}`);
    const resumed = json(await run("rollout", "--resume", "torn", "--no-html", "--json"));
    expect(resumed).toMatchObject({ complete: true, sessions: { done: 42, resumed: 17 } });
    expect(await run("diff", "a", "torn")).toMatchObject({ code: 0 });
  });

  it("compresses a finished log, which everything still reads", async () => {
    expect(await run(...sampled, "--out", "packed", "--compress", "gzip", "--quiet")).toMatchObject({ code: 0 });
    expect(existsSync(join(cwd, "packed", "records.jsonl"))).toBe(false);
    expect(existsSync(join(cwd, "packed", "records.jsonl.gz"))).toBe(true);
    expect(await run("diff", "a", "packed")).toMatchObject({ code: 0 });
    expect(json(await run("rollout", "--resume", "packed", "--no-html", "--json"))).toMatchObject({ complete: true });
  });

  it("refuses a policy that does not load", async () => {
    const model = join(cwd, "broken.mjs");
    writeFileSync(model, 'throw new Error("this module does not load");');
    const broken = await run(...words, "--G", "2", "--policy", "langchain", "--module", model, "--out", "broken");
    expect(broken.code).not.toBe(0);
    expect(broken.stderr).toMatch(/does not load/);
  });

  it("says why it stopped when no answer was reached", async () => {
    const dead = ["--policy", "openai", "--model", "m", "--base-url", "http://127.0.0.1:9/v1", "--retries", "0"];
    const gone = await run(...words, "--G", "2", "--M", "2", ...dead, "--give-up-after", "3", "--out", "dead");
    expect(gone.code).toBe(6);
    expect(gone.stderr).toMatch(
      /stopped: the policy gave no replies[\s\S]*umagraph rollout --resume dead --retry-failed/,
    );
    expect(await run("inspect", "dead")).toMatchObject({ code: 0 });
  });

  it("checks M against every context before anything is written", async () => {
    const mixed = [...words.slice(0, 4), "--horizon", "3,2", "--contexts", "1", "--policy", "ledger-expert"];
    const refused = await run(...mixed, "--G", "2", "--M", "30", "--out", "mixed");
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/M = 30 questions per context, but .* has \d+/),
    });
    expect(existsSync(join(cwd, "mixed"))).toBe(false);
  });

  it("is not for batch files", async () => {
    writeFileSync(join(cwd, "cells.yaml"), "benchmark: ledger-qa\nvariants: [uma, rag]\n");
    expect(await run("rollout", "cells.yaml", "--policy", "ledger-expert", "--out", "cells")).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/not of a batch file/),
    });
    expect(existsSync(join(cwd, "cells"))).toBe(false);
  });

  it.each([
    [["--G", "0"], /--g|--G/i],
    [["--M", "999"], /M = 999 questions per context/],
    [["--pool", "-1"], /--pool/],
    [["--compress", "rar"], /--compress/],
    [["--variant", "umma"], /no variant named "umma"/],
  ])("refuses %j with a sentence", async (more, said) => {
    const out = `refused-${more[1]}`;
    const refused = await run(...words, "--policy", "ledger-expert", "--no-html", "--out", out, ...more);
    expect(refused).toMatchObject({ stderr: expect.stringMatching(said) });
    expect(refused.code).toBeGreaterThan(0);
  });
});
