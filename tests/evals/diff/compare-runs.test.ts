import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { canonicalJson } from "../../../base/hash.ts";
import { writeCreditLog } from "../../../evals/credit-log.ts";
import { compareRuns } from "../../../evals/diff/compare-runs.ts";
import { valueDifferences } from "../../../evals/diff/value-differences.ts";
import type { RunConfig } from "../../../evals/run-folder.ts";
import type { SessionRecord } from "../../../nodes/session/record.ts";
import { recordRetry } from "../../../rollouts/retries.ts";
import {
  addCall,
  inventRun,
  memorySession,
  qaSession,
  question,
  score,
  temporaryFolder,
} from "../reports/invented-run.ts";

const folder = temporaryFolder();
let runs = 0;

const contexts = [{ id: "c", chunks: ["one"], facets: { horizon: 1 }, questions: [question("1"), question("2")] }];
// call ids count up, so the calls are made once
const records = [
  memorySession("c", 0, { calls: [addCall("e1", "Food", "12.50", 0)] }),
  qaSession("c", "1"),
  qaSession("c", "2"),
];
const scores = [score("c", "1", { em: 1 }), score("c", "2", { em: 0 })];
const newRun = (parts: Parameters<typeof inventRun>[2] = {}) =>
  inventRun(folder, `run-${runs++}`, { contexts, records, scores, ...parts });
const a = newRun();

const changed = (n: number, more: Partial<SessionRecord>) =>
  records.map((record, i) => (i === n ? ({ ...record, ...more } as SessionRecord) : record));

describe("two runs are identical", () => {
  it("whatever order sessions finished in", () => {
    const b = newRun({ records: [...records].reverse(), scores: [...scores].reverse() });
    expect(compareRuns(a, b)).toEqual({
      identical: true,
      differences: [],
      compared: { contexts: 1, sessions: 3, scores: 2 },
      notes: [],
    });
  });

  it("whatever clock, machine and name they had", () => {
    const b = newRun({
      config: { name: "other", created: "2027-01-01T00:00:00.000Z", umagraph: "9.9.9", concurrency: 64 },
      records: records.map((record) => ({
        ...record,
        run: "other",
        started: "2027-01-01T00:00:00.000Z",
        ms: 7,
        calls: record.calls.map((call) => ({ ...call, ms: 99 })),
      })),
    });
    expect(compareRuns(a, b).identical).toBe(true);
  });

  it("when one had to try again, and says so", () => {
    const b = newRun({ records: changed(1, { answer: "gone wrong" }) });
    recordRetry(b, [records[1]!]);
    appendFileSync(join(b, "records.jsonl"), `${JSON.stringify({ ...records[1], attempt: 2 })}\n`);
    expect(compareRuns(a, b)).toMatchObject({ identical: true, notes: [`${b} has 1 attempts that were given up`] });
  });

  it("with a torn tail, which is no session", () => {
    const b = newRun();
    appendFileSync(join(b, "records.jsonl"), '{"v":2,"id":"c/t0/q');
    expect(compareRuns(a, b).identical).toBe(true);
  });
});

describe("every kind of difference is found, by session and field", () => {
  const differs = (b: string) => compareRuns(a, b).differences;

  it.each<[string, Partial<RunConfig>, string]>([
    ["seed", { seed: 8 }, "seed"],
    ["G", { rollout: { G: 2, M: null } }, "rollout.G"],
    ["policy", { policy: { spec: { name: "b" }, name: "b", scripted: false } }, "policy.spec.name"],
    ["prompts", { prompts: { name: "default", hash: "ff" } }, "prompts.hash"],
    ["benchmark", { benchmark: { name: "ledger-qa", config: { horizon: 3 } } }, "benchmark.config.horizon"],
    ["variant", { variant: { spec: "rag", name: "rag", paper: "RAG" } }, "variant.spec"],
  ])("the config's %s", (_name, config, field) => {
    const found = differs(newRun({ config }));
    expect(found[0]).toMatchObject({ file: "config.json", of: null, field });
  });

  it.each<[string, Partial<SessionRecord>, string]>([
    ["answer", { answer: "another" }, "answer"],
    ["end", { end: "turns" }, "end"],
    ["seed", { seed: 1 }, "seed"],
    ["tokens", { tokens: { prompt: 1, completion: 20, interaction: 30, provider: null } }, "tokens.prompt"],
    ["prompt", { messages: [{ role: "user", text: "else" }] }, "messages[0].role"],
    ["parent", { parent: "c/t0/m0" }, "parent"],
    ["trace", { trace: { parts: [], turns: [], breaks: [] } }, "trace"],
  ])("a session's %s", (_name, more, field) => {
    const found = differs(newRun({ records: changed(1, more) }));
    expect(found[0]).toMatchObject({ file: "records.jsonl", of: "c/t0/q1", field });
  });

  it("a write, deep in a call", () => {
    const [memory] = records;
    const [call] = memory!.calls;
    const write = { ...call!.writes[0]!, after: { title: "Food", content: "13.50" } };
    const found = differs(newRun({ records: changed(0, { calls: [{ ...call!, writes: [write] }] }) }));
    expect(found).toEqual([
      { file: "records.jsonl", of: "c/t0/m0", field: "calls[0].writes[0].after.content", a: "12.50", b: "13.50" },
    ]);
  });

  it("a session, a score or a context that only one has is one difference", () => {
    expect(differs(newRun({ records: records.slice(0, 2) }))).toEqual([
      { file: "records.jsonl", of: "c/t0/q2", field: "", a: "there", b: undefined },
    ]);
    expect(differs(newRun({ scores: scores.slice(1) }))).toEqual([
      { file: "scores.jsonl", of: "c/t0/q1", field: "", a: "there", b: undefined },
    ]);
    const more = [...contexts, { ...contexts[0]!, id: "d" }];
    expect(differs(newRun({ contexts: more }))).toEqual([
      { file: "contexts.jsonl", of: "d", field: "", a: undefined, b: "there" },
    ]);
  });

  it("a score, and a context's data", () => {
    expect(differs(newRun({ scores: [score("c", "1", { em: null }), scores[1]!] }))).toEqual([
      { file: "scores.jsonl", of: "c/t0/q1", field: "metrics.em", a: 1, b: null },
    ]);
    const otherData = [{ ...contexts[0]!, chunks: ["two"] }];
    expect(differs(newRun({ contexts: otherData }))).toMatchObject([
      { file: "contexts.jsonl", of: "c", field: "hash" },
    ]);
  });

  it("rewards and advantages where both have them; one set alone is a note", () => {
    const [b, c] = [newRun(), newRun()];
    const credit = (R: number) => ({
      options: {
        v: 1 as const,
        estimator: "task-stratified",
        schedule: {},
        rewards: { lambda: R },
        advantages: {},
        sessions: 1,
        basis: String(R),
      },
      rewards: [
        {
          session: "c/t0/q1",
          context: "c",
          trajectory: 0,
          stage: "qa" as const,
          position: 0,
          question: "1",
          calls: { valid: 0, total: 0 },
          r_tool: 1,
          r_outcome: 1,
          R,
          reason: null,
        },
      ],
      advantages: [{ session: "c/t0/q1", group: "c/q1", A: R, reason: null }],
    });
    writeCreditLog(b, credit(1));
    expect(compareRuns(a, b)).toMatchObject({ identical: true, notes: [`only ${b} has reward tables`] });
    writeCreditLog(c, credit(2));
    expect(compareRuns(b, c).differences.map(({ file, field }) => `${file} ${field}`)).toEqual([
      "credit.json rewards.lambda",
      "rewards.jsonl R",
      "advantages.jsonl A",
    ]);
  });

  it("a file that is damaged in the middle is an error, not a difference", () => {
    const b = newRun();
    writeFileSync(join(b, "records.jsonl"), `{"v":\n${readFileSync(join(b, "records.jsonl"), "utf8")}`);
    expect(() => compareRuns(a, b)).toThrow(/records\.jsonl:1/);
  });
});

describe("differences of values", () => {
  const between = (one: unknown, other: unknown) => [...valueDifferences(one, other)];

  it("name the path of each leaf, and what is absent is undefined", () => {
    expect(between({ x: [1, { y: null }], z: 1 }, { z: 1, x: [1, { y: 0 }, 3] })).toEqual([
      { field: "x[1].y", a: null, b: 0 },
      { field: "x[2]", a: undefined, b: 3 },
    ]);
    expect(between({ a: [] }, { a: {} })).toEqual([{ field: "a", a: [], b: {} }]);
  });

  it("there are none exactly when the JSON is equal, whatever the order of keys", () => {
    const reversed = (value: unknown): unknown =>
      Array.isArray(value)
        ? value.map(reversed)
        : typeof value === "object" && value !== null
          ? Object.fromEntries(
              Object.entries(value)
                .reverse()
                .map(([key, held]) => [key, reversed(held)]),
            )
          : value;
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.jsonValue({ maxDepth: 3 }), (one, other) => {
        const [x, y] = [one, other].map((value) => JSON.parse(JSON.stringify(value)));
        expect(between(x, reversed(x))).toEqual([]);
        const equal = canonicalJson(x) === canonicalJson(y);
        expect(between(x, y).length === 0).toBe(equal);
      }),
    );
  });
});
