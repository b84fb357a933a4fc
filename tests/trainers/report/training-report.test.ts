/** The report of a training run, from the folder that it leaves. */
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stepChart } from "../../../trainers/report/charts/step-chart.ts";
import { numbersBehind } from "../../../trainers/report/html/curve-figure.ts";
import { samplesHtml } from "../../../trainers/report/html/sample-html.ts";
import { metricsCsv } from "../../../trainers/report/metrics-csv.ts";
import { readTraining } from "../../../trainers/report/read-training.ts";
import { sampleQuestions } from "../../../trainers/report/sample-sessions.ts";
import { summariseTraining } from "../../../trainers/report/training-summary.ts";
import { renderTraining } from "../../../trainers/report/training-terminal.ts";
import { writeTrainingReport } from "../../../trainers/report/write-training-report.ts";
import { trainingFiles } from "../../../trainers/run/training-folder.ts";
import { append, beginTraining, inventTraining, temporaryFolder, timed, updated } from "./invented-training.ts";

const home = temporaryFolder();
const folder = join(home, "run");
beforeAll(() => inventTraining(folder), 240_000);
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe("the summary", () => {
  it("tells where the run began, where it is, what it cost, and what was warned of", () => {
    const summary = summariseTraining(readTraining(folder));
    expect(summary.updates).toEqual({ done: 6, planned: 6, skipped: 1 });
    expect([summary.first!.update, summary.last!.update, summary.best!.update]).toEqual([0, 6, 6]);
    expect(summary.last!.sampled.mean).toBe(1);
    expect(summary.tokens).toEqual({ sampled: 24_000, prompt: 120_000 });
    expect(summary.seconds).toBeCloseTo(6 * 12.1);
    expect(summary.warnings.map(({ update }) => update)).toEqual([4, 5, 6]);
    expect(summary.warnings[0]!.sentence).toBe("No step was taken: no session has an advantage");
  });

  it("pairs the questions of the first and the last evaluation", () => {
    const { gain, first, last } = summariseTraining(readTraining(folder));
    expect(gain.sampled).toMatchObject({ n: 30, clusters: 6, losses: 0, unpaired: 0 });
    expect(gain.sampled!.mean).toBeCloseTo(last!.sampled.mean! - first!.sampled.mean!);
    expect(gain.greedy).toBeNull();
  });

  it("calls a habit better or worse only with occasions enough and a difference that is more than noise", () => {
    const place = beginTraining(join(home, "habits"));
    const evaluation = readTraining(folder).evaluations[0]!;
    const rates = (rate: number, occasions: number) => ({
      editAttempted: { rate, occasions },
      miss: { rate, occasions },
      bankGrowth: { rate, occasions },
    });
    const trends = (before: object, after: object) => {
      writeFileSync(trainingFiles.evaluations(place), "");
      append(trainingFiles.evaluations(place), { ...evaluation, habits: before });
      append(trainingFiles.evaluations(place), { ...evaluation, update: 9, habits: after });
      const { habits } = summariseTraining(readTraining(place));
      return Object.fromEntries(habits.flatMap(({ name, trend }) => (trend === null ? [] : [[name, trend]])));
    };
    expect(trends(rates(0.2, 40), rates(0.8, 40))).toEqual({ editAttempted: "better", miss: "worse" });
    expect(trends(rates(0.8, 40), rates(0.2, 40))).toEqual({ editAttempted: "worse", miss: "better" });
    // 0.5 ± 2 · sqrt(0.25 · 2 / 40) = 0.5 ± 0.22
    expect(trends(rates(0.45, 40), rates(0.65, 40))).toEqual({});
    expect(trends(rates(0, 9), rates(1, 9))).toEqual({});
  });

  it("of a run that has only begun has nothing to compare, and says so", () => {
    const place = beginTraining(join(home, "begun"));
    const summary = summariseTraining(readTraining(place));
    expect(summary).toMatchObject({ first: null, last: null, best: null, seconds: null, halted: null });
    expect(summary.updates).toEqual({ done: 0, planned: 6, skipped: 0 });
    expect(renderTraining(summary)).toContain("updates   0 of 6");
    writeTrainingReport(place);
    expect(readFileSync(trainingFiles.report(place), "utf8")).toContain("No update and no evaluation is finished yet");
    append(trainingFiles.evaluations(place), readTraining(folder).evaluations[0]!);
    const { summary: evaluated } = writeTrainingReport(place);
    expect(evaluated.gain).toEqual({ sampled: null, greedy: null });
    expect(renderTraining(evaluated)).toMatch(/^Habit +Should be +After update 0$/m);
    expect(renderTraining(evaluated)).toMatch(/^\d+ more habits are clean\.$/m);
  });
});

describe("the folder", () => {
  it("is read while it is written: a torn line is left out, and of two lines of one update the later one counts", () => {
    const place = beginTraining(join(home, "torn"));
    append(trainingFiles.metrics(place), updated(2));
    append(trainingFiles.metrics(place), updated(1));
    append(trainingFiles.metrics(place), updated(2, { contexts: 7 }));
    appendFileSync(trainingFiles.metrics(place), '{"update":3,"wei');
    expect(readTraining(place).metrics.map(({ update, contexts }) => [update, contexts])).toEqual([
      [1, 3],
      [2, 7],
    ]);
  });

  it("that is none, or of another kind, or broken, is refused with what to do", () => {
    expect(() => readTraining(home)).toThrow("holds no training run: there is no training.json in it");
    const sft = beginTraining(join(home, "sft"), { recipe: { kind: "sft", name: "sft-expert", steps: 9 } });
    expect(() => readTraining(sft)).toThrow("is a supervised run");
    const broken = beginTraining(join(home, "broken"));
    writeFileSync(trainingFiles.config(broken), "{");
    expect(() => readTraining(broken)).toThrow("expected the JSON that `umagraph train` has written");
    beginTraining(broken);
    append(trainingFiles.metrics(broken), { update: 1 });
    expect(() => readTraining(broken)).toThrow("metrics.jsonl, line 1: ");
  });
});

describe("questions before and after", () => {
  it("are those whose score changed, each of another context and kind", () => {
    const { shown, counts, kind } = sampleQuestions(readTraining(folder))!;
    expect(kind).toBe("sampled");
    expect(counts.better + counts.worse + counts.same).toBe(30);
    expect(shown).toHaveLength(3);
    expect(new Set(shown.map(({ context }) => context)).size).toBe(3);
    expect(new Set(shown.map(({ category }) => category)).size).toBe(3);
    for (const { before, after, gold } of shown) {
      expect([before.value, after.value]).toEqual([0, 1]);
      expect(after.answer.answer).toContain(gold);
      expect([before.building.length, after.building.length]).toEqual([4, 4]);
      expect(after.memory.bank).not.toEqual(before.memory.bank);
    }
  });

  it("are not there when the sessions are not", () => {
    const log = readTraining(folder);
    const gone = log.evaluations.map((line) => ({ ...line, folders: { sampled: ["nowhere"], greedy: [] } }));
    expect(sampleQuestions({ ...log, evaluations: gone })).toBeNull();
    expect(sampleQuestions({ ...log, evaluations: log.evaluations.slice(0, 1) })).toBeNull();
  });

  it("are filled up with such as did not change, of other contexts and kinds, and said to be", () => {
    const log = readTraining(folder);
    const [first, last] = [log.evaluations[0]!, log.evaluations.at(-1)!];
    const still = sampleQuestions({ ...log, evaluations: [first, { ...first, update: 6 }] })!;
    expect(still.counts).toEqual({ better: 0, worse: 0, same: 30 });
    expect(still.shown).toHaveLength(3);
    expect(new Set(still.shown.map(({ context }) => context)).size).toBe(3);
    expect(new Set(still.shown.map(({ category }) => category)).size).toBe(3);
    const html = samplesHtml(still);
    expect(html).toContain("Shown are some whose score did not change, as none did, of different contexts");
    expect(html.match(/score unchanged/g)).toHaveLength(3);

    const one = sampleQuestions({ ...log, evaluations: [first, last] })!.shown[0]!;
    expect(samplesHtml({ ...still, shown: [one, ...still.shown.slice(1)] })).toContain(
      "Shown are all whose score changed, and beside them some whose score did not",
    );
    expect(samplesHtml({ ...still, shown: [one] })).not.toContain("score unchanged");
  });

  it("show one that was lost, where there are such", () => {
    const log = readTraining(folder);
    const backwards = sampleQuestions({ ...log, evaluations: [...log.evaluations].reverse() })!;
    expect(backwards.counts.worse).toBeGreaterThan(20);
    expect(backwards.shown.every(({ before, after }) => before.value > after.value)).toBe(true);
    expect(backwards.shown).toHaveLength(3);
  });
});

describe("the page", () => {
  const page = () => readFileSync(trainingFiles.report(folder), "utf8");

  it("is one file without a script, whose texts are never markup", () => {
    expect(writeTrainingReport(folder).written).toEqual([trainingFiles.report(folder)]);
    const html = page();
    expect(html).not.toContain("<script");
    expect(html).not.toMatch(/\b(?:src|href)=/);
    expect(html).toContain("&lt;script&gt;alert(1)&lt;/script&gt;");
    expect(html).toContain("default-src &#39;none&#39;".replaceAll("&#39;", "'"));
    expect(html).not.toContain(home);
  });

  it("names every chart, has the numbers behind it, and leaves gaps where nothing was measured", () => {
    const html = page();
    const charts = html.match(/<svg[^>]*role="img"[^>]*>/g)!;
    expect(charts.length).toBeGreaterThan(30);
    for (const chart of charts) expect(chart).toMatch(/aria-label="[^"]+"/);
    const kl = /<figure id="curve-kl">[\s\S]*?<\/figure>/.exec(html)![0];
    // update 4 took no step: two pieces of line for each of two series
    expect(kl.match(/class="curve"/g)).toHaveLength(4);
    // and where a single point stands between gaps, it is seen
    const alone = stepChart(
      [{ label: "y", thin: true, points: [1, 2, 3].map((x) => ({ x, y: x === 2 ? 1 : null })) }],
      {
        label: "y",
        format: String,
      },
    );
    expect(alone).toContain('class="alone"');
    expect(alone).not.toContain('class="curve"');
    expect(kl).toContain('<th scope="row">4</th><td class="right">–</td><td class="right">–</td>');
    expect(kl).toContain('<th scope="row">2</th><td class="right">0.04</td>');
    expect(html).not.toContain("NaN");
    expect(html).not.toContain("undefined");
  });

  it("of a long run thins the numbers out, and says so", () => {
    const points = Array.from({ length: 1_001 }, (_, x) => ({ x, y: x }));
    const html = numbersBehind("long", [{ label: "y", points }], String);
    expect(html.match(/<tr>/g)).toHaveLength(1 + 167 + 1);
    expect(html).toContain('<th scope="row">1000</th>');
    expect(html).toContain("One row in 6");
  });

  it("says why a guard rail ended the run", () => {
    const halted = { reason: "kl", sentence: "The policy has gone <far> from the reference." };
    const { summary } = writeTrainingReport(folder, { html: join(home, "halted.html"), halted });
    const html = readFileSync(join(home, "halted.html"), "utf8");
    expect(html).toContain("Halted by the guard rail kl.</strong> The policy has gone &lt;far&gt; from the reference.");
    expect(renderTraining(summary)).toContain("! halted by kl: The policy has gone <far>");
  });
});

describe("the terminal", () => {
  it("gives facts, scores and the habits that are not clean at both ends", () => {
    const text = renderTraining(summariseTraining(readTraining(folder)));
    expect(text).toContain("recipe    invented, scale demo");
    expect(text).toMatch(/^6 \* +100\.0 \[100\.0, 100\.0\]/m);
    expect(text).toMatch(/^date range missing +low .* better$/m);
    expect(text).not.toContain("wrong category");
    expect(text).toMatch(/^\d+ more habits are clean before and after\.$/m);
    for (const line of text.split("\n")) expect(line.length).toBeLessThanOrEqual(100);
  });
});

describe("the CSV", () => {
  it("has a row per update, evaluations and times in it, and no column of nothing", () => {
    const place = beginTraining(join(home, "csv"));
    append(trainingFiles.evaluations(place), readTraining(folder).evaluations[0]!);
    append(trainingFiles.metrics(place), updated(1));
    append(trainingFiles.metrics(place), updated(2, { steps: [], skipped: "nothing to learn" }));
    append(trainingFiles.timing(place), timed(1));
    const [head, ...rows] = metricsCsv(readTraining(place)).trimEnd().split("\n");
    const names = head!.split(",");
    expect(names[0]).toBe("update");
    const cells = rows.map((row) => row.split(","));
    expect(cells.map(([update]) => update)).toEqual(["0", "1", "2"]);
    for (const row of cells) expect(row).toHaveLength(names.length);
    const at = (row: number, name: string) => cells[row]![names.indexOf(name)];
    expect(at(0, "evaluation.sampled.mean")).toBe(String(readTraining(folder).evaluations[0]!.sampled.mean));
    expect(at(1, "evaluation.sampled.mean")).toBe("");
    expect(at(1, "reward.memory")).toBe("0.1");
    expect(at(1, "steps.clipShare")).toBe("0.03");
    expect(at(2, "steps.clipShare")).toBe("");
    expect([at(1, "steps.count"), at(2, "steps.count")]).toEqual(["2", "0"]);
    expect(at(1, "habits.miss.rate")).toBe("0.1");
    expect(at(1, "timing.seconds.collect")).toBe("6");
    expect(names).not.toContain("validity.qa");
    expect(names).not.toContain("warnings");
  });
});
