/**
 * A training report as one HTML file: curves, habits, evaluations, questions before and after, recipe.
 *
 * Nothing in it is a script, and nothing is loaded: its content policy allows its own style and no more. Light or dark is
 * the reader's system's choice.
 */
import { readFileSync } from "node:fs";
import { barChart } from "../../../evals/reports/charts/bar-chart.ts";
import { duration, percent, signedPercent, whole } from "../../../evals/reports/format-number.ts";
import { escapeHtml } from "../../../evals/reports/html/escape-html.ts";
import { htmlTable } from "../../../evals/reports/html/html-table.ts";
import { pageHead } from "../../../evals/reports/html/page-head.ts";
import { pageStyle } from "../../../evals/reports/html/page-script.ts";
import type { Estimate } from "../../run/metrics-line.ts";
import { curvesOf } from "../curves.ts";
import type { TrainingLog } from "../read-training.ts";
import type { SampledQuestions } from "../sample-sessions.ts";
import { evaluationTable, gainTable, habitTable, trainingFacts } from "../tables.ts";
import type { TrainingSummary } from "../training-summary.ts";
import { curveFigure } from "./curve-figure.ts";
import { habitPanel } from "./habit-panel.ts";
import { samplesHtml } from "./sample-html.ts";

export function trainingPage(log: TrainingLog, summary: TrainingSummary, samples: SampledQuestions | null): string {
  const style = `${pageStyle()}\n${readFileSync(new URL("./training.css", import.meta.url), "utf8")}`;
  const title = `${log.config.recipe.name}, seed ${log.config.seed}`;
  return `${pageHead({ title, kicker: "umagraph training", style })}</header>
<main id="overview">
${sections(log, summary, samples).join("\n")}
</main>
</body>
</html>
`;
}

function sections(log: TrainingLog, summary: TrainingSummary, samples: SampledQuestions | null): string[] {
  const last = Math.max(summary.updates.done, summary.last?.update ?? 0);
  const { recipe } = log.config;
  return [
    recipe.summary ? `<p class="lead" dir="auto">${escapeHtml(recipe.summary)}</p>` : "",
    log.metrics.length + log.evaluations.length === 0
      ? `<p class="banner">No update and no evaluation is finished yet. Make the report again later.</p>`
      : "",
    summary.halted === null
      ? ""
      : `<aside class="halt" dir="auto"><strong>Halted by the guard rail ${escapeHtml(summary.halted.reason)}.</strong> ${escapeHtml(summary.halted.sentence)}</aside>`,
    warningsHtml(summary),
    cardsHtml(summary),
    `<h2>Curves</h2>`,
    `<div class="figures">${curvesOf(log)
      .map((curve) => curveFigure(curve, last))
      .concat(timeFigure(log))
      .join("\n")}</div>`,
    `<h2>Habits</h2>`,
    `<p class="lead">Rates of behaviours, apart from whether the answer was right: the thin line on each update's training sessions, the marks on the sampled held-out evaluations.</p>`,
    habitPanel(log, summary, last),
    summary.first === null ? "" : htmlTable(habitTable(summary)),
    `<h2>Evaluations</h2>`,
    summary.evaluations.length === 0 ? `<p class="note">None yet.</p>` : htmlTable(evaluationTable(summary)),
    ...gainTable(summary).map(htmlTable),
    ...(samples === null ? [] : [`<h2>Before and after</h2>`, samplesHtml(samples)]),
    `<h2>Recipe</h2>`,
    factsHtml(summary),
    `<details open><summary>training.json</summary><pre class="recipe">${escapeHtml(JSON.stringify(log.config, null, 2))}</pre></details>`,
  ];
}

function warningsHtml({ warnings }: TrainingSummary): string {
  if (warnings.length === 0) return "";
  // one guard says the same of many updates
  const bySentence = new Map<string, number[]>();
  for (const { update, sentence } of warnings) bySentence.set(sentence, [...(bySentence.get(sentence) ?? []), update]);
  const items = [...bySentence].map(([sentence, updates]) => {
    const where =
      updates.length === 1
        ? `Update ${updates[0]}`
        : `${updates.length} updates, first ${updates[0]}, last ${updates.at(-1)}`;
    return `<li dir="auto"><b>${where}:</b> ${escapeHtml(sentence)}</li>`;
  });
  return `<ul class="remarks">${items.join("")}</ul>`;
}

function cardsHtml(summary: TrainingSummary): string {
  const { first, last, best } = summary;
  const cards = [
    scoreCard(
      "Sampled outcome",
      first?.sampled ?? null,
      first === last ? null : (last?.sampled ?? null),
      summary.gain.sampled?.mean,
    ),
    first?.greedy || last?.greedy
      ? scoreCard(
          "Greedy outcome",
          first?.greedy ?? null,
          first === last ? null : (last?.greedy ?? null),
          summary.gain.greedy?.mean,
        )
      : "",
    `<section class="card"><h2>The run</h2><dl>${[
      ...trainingFacts(summary),
      ["best checkpoint", best === null ? "–" : `after update ${best.update}: ${percent(best.sampled.mean)}`] as const,
    ]
      .map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`)
      .join("")}</dl></section>`,
  ];
  return `<div class="cards">${cards.join("")}</div>`;
}

function scoreCard(
  name: string,
  before: Estimate | null,
  after: Estimate | null,
  gain: number | null | undefined,
): string {
  const latest = after ?? before;
  const interval = (of: Estimate | null) =>
    of === null || of.low === null || of.high === null ? "" : ` [${percent(of.low)}, ${percent(of.high)}]`;
  return [
    `<section class="card"><h2>${name}</h2>`,
    `<p class="big">${percent(latest?.mean ?? null)}<span class="unit">× 100</span></p>`,
    `<p class="quiet">${interval(latest)} ${latest === null ? "" : `${whole(latest.n)} questions, ${whole(latest.contexts)} contexts`}</p>`,
    after === null
      ? ""
      : `<dl><div><dt>before training</dt><dd>${percent(before?.mean ?? null)}${interval(before)}</dd></div><div><dt>difference</dt><dd>${signedPercent(gain ?? difference(before, after))}</dd></div></dl>`,
    "</section>",
  ].join("");
}

const difference = (before: Estimate | null, after: Estimate) =>
  before?.mean == null || after.mean === null ? null : after.mean - before.mean;

/** All seconds by step, spread over the updates: evaluations too, of which there are fewer. */
function timeFigure({ timing }: TrainingLog): string[] {
  const steps = [...new Set(timing.flatMap(({ seconds }) => Object.keys(seconds)))];
  if (steps.length === 0) return [];
  const updates = Math.max(1, timing.filter(({ update }) => update > 0).length);
  const spentOn = (step: string) => timing.reduce((sum, { seconds }) => sum + (seconds[step] ?? 0), 0);
  const total = steps.reduce((sum, step) => sum + spentOn(step), 0);
  const groups = steps.map((step) => {
    const spent = spentOn(step);
    const note = `${duration((spent / updates) * 1_000)} · ${percent(total === 0 ? null : spent / total)} %`;
    return { label: step, bars: [{ series: 0, value: spent / updates, note, tip: `${step}: ${note}` }] };
  });
  const title = "Seconds per update, by step";
  const svg = barChart(groups, { label: title, tick: (value) => `${value} s` });
  return [
    `<figure id="curve-time"><figcaption>${title}</figcaption>${svg}<p class="note">All time of a step, spread over the updates. Evaluations are fewer than updates.</p></figure>`,
  ];
}

const factsHtml = (summary: TrainingSummary) =>
  `<dl class="facts">${trainingFacts(summary)
    .map(([name, value]) => `<div><dt>${name}</dt><dd>${escapeHtml(value)}</dd></div>`)
    .join("")}</dl>`;
