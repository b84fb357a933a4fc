/** What is shown while a run goes on: a panel that is drawn in place on a terminal, lines in a log. */
import { describe, expect, it } from "vitest";
import { redrawnBlock } from "../../../cli/redrawn-block.ts";
import type { Terminal } from "../../../cli/terminal.ts";
import { clock, evaluationLine, panelLines, sparkline, updateLine } from "../../../cli/train/training-lines.ts";
import { secondsLeft, seen, trainingView } from "../../../cli/train/training-view.ts";
import { watchTraining } from "../../../cli/train/watch-training.ts";
import type { EvaluationLine, MetricsLine } from "../../../trainers/run/metrics-line.ts";

const recipe = { name: "demo", updates: 10, sampledTokens: null, evaluation: { every: 5 } };

const metrics = (update: number, more: Partial<MetricsLine> = {}): MetricsLine => ({
  ...{ update, weights: `update-000${update - 1}`, staleness: 0, contexts: 2 },
  sessions: { memory: 8, qa: 12, failed: 0 },
  tokens: { sampled: 2_000, prompt: 9_000 },
  reward: { memory: 0.9, qa: 0.4 },
  outcome: 0.25 * update,
  validity: { memory: 0.98, qa: null },
  ...{ zeroAdvantage: 3, noAdvantage: 0, flatGroups: 0.25, samplerMismatch: 0.001, skipped: null, warnings: [] },
  steps: [
    {
      objective: 0.1,
      tokens: 900,
      ratio: 1,
      clipShare: 0.02,
      klOld: 0.0004,
      klRef: 0.012,
      entropy: 0.4,
      gradNorm: 0.8,
      learningRate: 1e-4,
    },
    {
      objective: 0.1,
      tokens: 900,
      ratio: 1,
      clipShare: 0.04,
      klOld: 0.0006,
      klRef: 0.014,
      entropy: 0.2,
      gradNorm: 0.6,
      learningRate: 1e-4,
    },
  ],
  habits: { rangeMissing: { rate: 0.25 * update, occasions: 12 }, editAttempted: { rate: null, occasions: 0 } },
  ...more,
});

const evaluation = (update: number, mean: number): EvaluationLine => ({
  ...{ update, weights: `update-000${update}`, validity: 0.9, habits: {}, folders: { sampled: [], greedy: [] } },
  sampled: { mean, low: mean - 0.1, high: mean + 0.1, n: 60, contexts: 20 },
  greedy: null,
});

const timing = (update: number, seconds: Record<string, number>) => ({ update, seconds, tokensPerSecond: 1_234 });

describe("the live view", () => {
  const view = trainingView({
    ...{ recipe, seed: 1 },
    metrics: [1, 2, 3].map((update) => metrics(update)),
    evaluations: [evaluation(0, 0.2), evaluation(2, 0.5), evaluation(3, 0.4)],
    timing: [
      timing(0, { evaluate: 20 }),
      timing(2, { collect: 6, update: 4 }),
      timing(3, { collect: 6, update: 4, evaluate: 30 }),
    ],
  });

  it("a line of an update has what is watched; several steps are averaged, absent is no zero", () => {
    expect(updateLine(view, metrics(3))).toBe(
      "update 3/10: outcome 75.0 % · reward 0.900 memory 0.400 QA · valid 98.0 % / – · KL 0.013 (start) 0.00050 (sampler) · clip 3.0 % · entropy 0.300 · gradient 0.700 · 1,234 tokens/s · 2 min 0 s left",
    );
    expect(updateLine(view, metrics(3, { skipped: "every advantage is 0", steps: [] }))).toContain(
      "no step: every advantage is 0",
    );
  });

  it("time left is what updates and evaluations took, times those to come", () => {
    // 7 updates of 10 s, 2 evaluations of 25 s on average
    expect(secondsLeft(view)).toBe(7 * 10 + 2 * 25);
    expect(secondsLeft({ ...view, sampledTokens: 8_000 })).toBe(10 + 25);
    expect(secondsLeft(trainingView({ recipe, seed: 1 }))).toBeNull();
    expect([clock(3.2), clock(75), clock(3_725)]).toEqual(["4 s", "1 min 15 s", "1 h 2 min"]);
  });

  it("the panel shows curves, the habits that moved, and evaluations so far: first, best, last", () => {
    const working = seen(seen(view, { kind: "step", step: "collect", update: 4 }), {
      ...{ kind: "sessions", what: "collect", update: 4, done: 7, total: 40, failed: 0 },
    });
    const lines = panelLines(working, 61);
    expect(lines[0]).toBe(
      "umagraph train demo · seed 1 · update 4/10: sampling 7/40 · 1 min 1 s, about 2 min 0 s left",
    );
    expect(lines).toContain("  outcome      75.0 %  ▁▅█");
    // with a format bonus it is no share of the answers
    expect(updateLine(view, metrics(3, { outcome: 1.284 }))).toContain("outcome 1.284 ·");
    expect(lines.find((line) => line.includes("habit"))).toBe(
      "  habit        date range missing (less is better): 75.0 %  ▁▅█",
    );
    expect(lines.filter((line) => line.includes("held out"))).toEqual([
      "  held out     at the start: 20.0 % [10.0, 30.0] sampled (20 held-out contexts)",
      "  held out     after 2 updates: 50.0 % [40.0, 60.0] sampled (20 held-out contexts) · best so far",
      "  held out     after 3 updates: 40.0 % [30.0, 50.0] sampled (20 held-out contexts)",
    ]);
    expect(evaluationLine(view, evaluation(1, 0.1))).toMatch(/^after 1 update: 10\.0 %/);
  });

  it("a line that is written again replaces the old one", () => {
    const again = seen(view, { kind: "metrics", line: metrics(3, { outcome: 0.9 }) });
    expect([...again.metrics.values()].map(({ outcome }) => outcome)).toEqual([0.25, 0.5, 0.9]);
  });

  it("sparklines span their own range, with a gap where there is nothing", () => {
    expect(sparkline([0, null, 1])).toBe("▁ █");
    expect(sparkline([0.5, 0.5])).toBe("▁▁");
    expect(sparkline([1])).toBe("");
  });

  it("a log has a line when an update's clock was read, its evaluation after it, and notices at once", () => {
    const said: string[] = [];
    const terminal = { note: (text: string) => void said.push(text), block: () => null } as unknown as Terminal;
    const watch = watchTraining(trainingView({ recipe, seed: 1 }), terminal);
    watch.tell({ kind: "notice", sentence: "the learner is waited for" });
    watch.tell({ kind: "metrics", line: metrics(1) });
    watch.tell({ kind: "evaluation", line: evaluation(1, 0.3) });
    expect(said).toEqual(["the learner is waited for"]);
    watch.tell({ kind: "timing", line: timing(1, { collect: 1 }) });
    expect(said.slice(1).map((line) => line.slice(0, 12))).toEqual(["update 1/10:", "after 1 upda"]);
  });
});

describe("a block that is drawn again", () => {
  it("goes up by its own height, cuts what would wrap, and lets remarks stand above it", () => {
    let screen = "";
    const write = (text: string) => {
      screen += text;
      return true;
    };
    const stream = { write, columns: 12, rows: 24 };
    let n = 0;
    const block = redrawnBlock(
      () => [`line ${++n}`, "a text that is too long"],
      stream as unknown as NodeJS.WriteStream,
    );
    block.say("hello");
    expect(screen).toBe("\r\x1b[Jhello\n\r\x1b[Jline 1\na text tha…\n");
    screen = "";
    block.say("there");
    expect(screen).toBe("\x1b[2A\r\x1b[Jthere\n\r\x1b[Jline 2\na text tha…\n");
    screen = "";
    block.end();
    block.end();
    expect(screen).toBe("\x1b[2A\r\x1b[Jline 3\na text tha…\n");
    block.update();
    block.say("after it");
    expect(screen).toBe("\x1b[2A\r\x1b[Jline 3\na text tha…\nafter it\n");
  });
});
