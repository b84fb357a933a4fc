/** Reports of runs with several trajectories per context: nothing of one is mixed up with another's. */
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { rng } from "../../../base/rng.ts";
import { type CreditLog, creditBasis, writeCreditLog } from "../../../evals/credit-log.ts";
import { renderHtml } from "../../../evals/reports/html.ts";
import { renderMarkdown } from "../../../evals/reports/markdown.ts";
import { readRuns } from "../../../evals/reports/read-run.ts";
import { summariseRuns } from "../../../evals/reports/summary.ts";
import { renderTerminal } from "../../../evals/reports/terminal.ts";
import { inventRun, memorySession, qaSession, question, score, temporaryFolder } from "./invented-run.ts";

/**
 * Two trajectories over two questions in two contexts; the last answer of c2 failed.
 *
 *            c1: q1  q2     c2: q1  q2
 *   t0 em         1   0          1   1
 *   t1 em         0   0          1   failed
 */
const em: Record<string, (number | null)[]> = { "c1/t0": [1, 0], "c1/t1": [0, 0], "c2/t0": [1, 1], "c2/t1": [1, null] };
const places = Object.entries(em).flatMap(([place, values]) => {
  const [context, t] = place.split("/") as [string, string];
  return values.map((value, j) => ({ context, i: Number(t.slice(1)), id: String(j + 1), value }));
});
const gone = {
  answer: null,
  end: "error" as const,
  error: { boundary: "policy" as const, code: "provider", message: "503" },
};
const contexts = ["c1", "c2"].map((id) => ({
  id,
  chunks: ["one"],
  facets: {},
  questions: [question("1"), question("2", { category: "max" })],
}));
const records = [
  ...places.map(({ context, i, id, value }) =>
    qaSession(context, id, { id: `${context}/t${i}/q${id}`, trajectory: i, ...(value === null && gone) }),
  ),
  ...["c1", "c2"].flatMap((context) =>
    [0, 1].map((i) => memorySession(context, 0, { id: `${context}/t${i}/m0`, trajectory: i })),
  ),
];
const scores = places.map(({ context, i, id, value }) =>
  score(context, id, { em: value }, { session: `${context}/t${i}/q${id}`, category: id === "2" ? "max" : "sum" }),
);
const folder = temporaryFolder();
const config = { rollout: { G: 2, M: null } };
const run = inventRun(folder, "two", { config, contexts, records, scores });
const credit: CreditLog = {
  options: {
    v: 1,
    estimator: "task-stratified",
    schedule: {},
    rewards: { lambda: { memory: 0.5, qa: 0.5 }, outcome: "em" },
    advantages: {},
    sessions: 1,
    basis: creditBasis(records, scores),
  },
  rewards: [
    {
      session: "c1/t0/q1",
      context: "c1",
      trajectory: 0,
      stage: "qa",
      position: 0,
      question: "1",
      calls: { valid: 3, total: 4 },
      r_tool: 0.75,
      r_outcome: 1,
      R: 1.375,
      reason: null,
    },
  ],
  advantages: [{ session: "c1/t0/q1", group: "c1/q1", A: 1, reason: null }],
};
const logs = readRuns([run]);
const summary = summariseRuns(logs);
const [only] = summary.runs;

describe("scores of several trajectories", () => {
  test("a question counts once, with the mean of its answers, and its answers are counted apart", () => {
    // c1: 0.5, 0; c2: 1, 1 (the failed answer is in no mean)
    expect(only!.metrics.em).toMatchObject({
      mean: 0.625,
      scored: 4,
      n: 4,
      clusters: 2,
      answers: { scored: 7, asked: 8 },
    });
    expect(only!.questions).toEqual({
      asked: 8,
      distinct: 4,
      finished: 8,
      answered: 7,
      unanswered: 0,
      failed: 1,
      scored: 7,
    });
    expect(only!.categories.map(({ value, n, metrics }) => [value, n, metrics.em!.mean])).toEqual([
      ["max", 2, 0.5],
      ["sum", 2, 0.75],
    ]);
  });

  test("the interval draws contexts, so that G does not narrow it", () => {
    const averaged = contexts.flatMap(({ id }, c) =>
      ["1", "2"].map((asked, j) => score(id, asked, { em: [0.5, 0, 1, 1][2 * c + j]! })),
    );
    const one = summariseRuns(readRuns([inventRun(folder, "averaged", { contexts, records: [], scores: averaged })]))
      .runs[0]!;
    const { low, high } = only!.metrics.em!;
    expect([low, high]).toEqual([one.metrics.em!.low, one.metrics.em!.high]);
  });

  test("every form says how many answers and how many questions", () => {
    expect(renderTerminal(summary)).toContain("62.5 [25.0, 100.0] (7/8 over 4)");
    expect(renderTerminal(summary)).toContain("8 answers to 4 questions asked (2 trajectories per context)");
    expect(renderMarkdown(summary)).toContain("62.5 [25.0, 100.0] (7/8 over 4)");
    const { html } = renderHtml(summary, logs);
    expect(html).toContain("4 questions asked");
    expect(html).toContain(">7/8 over 4</span>");
    expect(only!.remarks).toContain("1 of 8 answers failed; they are in no mean, so read scored/total.");
  });

  test("scores do not depend on the order in which sessions finished", () => {
    const shuffled = rng(1, "scores").shuffle([...scores]);
    const other = summariseRuns(
      readRuns([inventRun(folder, "shuffled", { config, contexts, records, scores: shuffled })]),
    );
    expect(other.runs[0]!.metrics).toEqual(only!.metrics);
  });

  test("questions that were not drawn were not asked", () => {
    const drawn = inventRun(folder, "drawn", { config: { rollout: { G: 2, M: 1 } }, contexts });
    expect(summariseRuns(readRuns([drawn])).runs[0]!.questions).toMatchObject({ asked: 4, distinct: 2, finished: 0 });
  });

  test("runs with another G or M stand in rows of their own", () => {
    const single = inventRun(folder, "single", { contexts, records: [], scores: [] });
    const { groups } = summariseRuns(readRuns([run, single]));
    expect(groups.map(({ label }) => label)).toEqual([
      "uma · some-model · G 2 trajectories, all questions",
      "uma · some-model · G 1 trajectories, all questions",
    ]);
  });
});

describe("rewards and advantages in the page", () => {
  const indexOf = (html: string) => {
    const block = (name: string) =>
      JSON.parse(
        gunzipSync(Buffer.from(html.match(new RegExp(`data-block="${name}">([^<]*)<`))![1]!, "base64")).toString(),
      );
    const index = block("index");
    return { index, open: (item: { block: string; at: number }) => block(item.block)[item.at] };
  };
  const page = () => {
    const fresh = readRuns([run]);
    return indexOf(renderHtml(summariseRuns(fresh), fresh).html);
  };
  const item = (index: { sessions: { id: string }[] }, id: string) =>
    index.sessions.find((session) => session.id === id) as never;

  test("a run without them has none, and keeps its sessions as they are", () => {
    const { index, open } = page();
    expect(index.runs[0]).toMatchObject({ trajectories: 2, credit: null });
    expect(item(index, "c1/t0/q1")).not.toHaveProperty("R");
    expect(open(item(index, "c1/t0/q1"))).not.toHaveProperty("credit");
  });

  test("a run with them has them on its sessions, as long as they fit its log", () => {
    writeCreditLog(run, credit);
    const { index, open } = page();
    expect(index.runs[0].credit).toBe("task-stratified, λ 0.5, outcome em");
    expect(item(index, "c1/t0/q1")).toMatchObject({ R: 1.375, A: 1, score: 1 });
    expect(open(item(index, "c1/t0/q1")).credit).toMatchObject({ calls: { valid: 3, total: 4 }, group: "c1/q1" });
    expect(item(index, "c1/t1/q1")).not.toHaveProperty("R");
    writeCreditLog(run, { ...credit, options: { ...credit.options, basis: "of another log" } });
    expect(page().index.runs[0].credit).toBeNull();
  });
});
