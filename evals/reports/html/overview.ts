/** The first thing a reader sees: what was run and with which policy, the scores, the plots, and what it took. */
import { duration, fraction, percent, whole } from "../format-number.ts";
import { reportRemarks } from "../remarks.ts";
import { scoredText } from "../scored-text.ts";
import type { GroupSummary, ReportSummary } from "../summary.ts";
import {
  acrossBenchmarks,
  benchmarksOf,
  benchmarkTables,
  describeSeeds,
  differenceTable,
} from "../tables/result-tables.ts";
import { runTables } from "../tables/run-tables.ts";
import { escapeHtml } from "./escape-html.ts";
import { costFigures, scoreFigures } from "./figures.ts";
import { htmlTable } from "./html-table.ts";

/** More rows than this are read in the table. */
const mostCards = 6;

export function overviewHtml(summary: ReportSummary): string {
  const runs = runTables(summary);
  const table = (...ids: string[]) => runs.filter(({ id }) => ids.includes(id)).map(htmlTable);
  return [
    scriptedBanner(summary),
    remarksHtml(summary),
    summary.groups.length <= mostCards
      ? `<div class="cards">${summary.groups.map((group) => card(summary, group)).join("")}</div>`
      : "",
    heading("Results"),
    ...acrossBenchmarks(summary).map(htmlTable),
    ...benchmarksOf(summary).flatMap((benchmark) => [
      ...benchmarkTables(summary, benchmark).map(htmlTable),
      figuresHtml(scoreFigures(summary.groups.filter((group) => group.benchmark === benchmark))),
    ]),
    ...differenceTable(summary).map(htmlTable),
    heading("What was run"),
    ...table("runs", "questions"),
    heading("Sessions and tools"),
    ...table("sessions", "errors", "kept-cores", "tools"),
    heading("Cost"),
    figuresHtml(costFigures(summary)),
    ...table("cost"),
    heading("Memory"),
    ...table("banks", "evidence"),
    heading("How to read this"),
    readingNotes(summary),
  ].join("\n");
}

const figuresHtml = (figures: readonly string[]) =>
  figures.length === 0 ? "" : `<div class="figures">${figures.join("\n")}</div>`;

const heading = (text: string) => `<h2>${text}</h2>`;

function scriptedBanner({ runs }: ReportSummary): string {
  const scripted = [...new Set(runs.filter(({ policy }) => policy.scripted).map(({ policy }) => policy.name))];
  if (scripted.length === 0) return "";
  const names = scripted.map((name) => `<b>${escapeHtml(name)}</b>`).join(", ");
  const which = runs.every(({ policy }) => policy.scripted)
    ? "Every session here was"
    : "Some of the sessions here were";
  return `<aside class="banner"><strong>No model: scripted policy.</strong> ${which} made by a fixed program (${names}), not by a language model. Such scores show that tools and pipeline work and set a floor; they say nothing about any model.</aside>`;
}

/** That the policy is scripted stands in the banner. */
function remarksHtml(summary: ReportSummary): string {
  const remarks = reportRemarks(summary).filter((remark) => !remark.includes("No model was run"));
  if (remarks.length === 0) return "";
  return `<ul class="remarks">${remarks.map((remark) => `<li dir="auto">${escapeHtml(remark)}</li>`).join("")}</ul>`;
}

function card(summary: ReportSummary, group: GroupSummary): string {
  const value = group.headline === null ? undefined : group.metrics[group.headline];
  const { asked, failed } = group.questions;
  const runs = group.runs.map((index) => summary.runs[index]!);
  const sum = (values: readonly (number | null)[]) =>
    values.every((one) => one === null) ? null : values.reduce<number>((total, one) => total + (one ?? 0), 0);
  const facts: [string, string][] = [
    ["scored", value ? scoredText(value) : fraction(0, asked)],
    ["failed", whole(failed)],
    ["tool validity", validity(runs)],
    ["building", duration(sum(runs.map(({ cost }) => cost.build?.sessionMs ?? null)))],
    ["answering", duration(sum(runs.map(({ cost }) => cost.answer?.sessionMs ?? null)))],
  ];
  const interval =
    value === undefined || value.low === null
      ? (value?.reason ?? "nothing was scored")
      : `[${percent(value.low)}, ${percent(value.high)}] over ${whole(value.clusters)} contexts`;
  return [
    `<section class="card${group.policy.scripted ? " is-scripted" : ""}">`,
    `<h2 dir="auto"><span class="kicker">${escapeHtml(group.benchmark)}</span>${escapeHtml(group.label)}</h2>`,
    group.runs.length > 1 ? `<p class="quiet">${escapeHtml(describeSeeds(group))}</p>` : "",
    `<p class="big">${percent(value?.mean ?? null)}<span class="unit">${escapeHtml(group.headline ?? "")} × 100</span></p>`,
    `<p class="quiet">${escapeHtml(interval)}</p>`,
    `<dl>${facts.map(([name, fact]) => `<div><dt>${name}</dt><dd>${escapeHtml(fact)}</dd></div>`).join("")}</dl>`,
    "</section>",
  ].join("");
}

function validity(runs: readonly ReportSummary["runs"][number][]): string {
  let valid = 0;
  let counted = 0;
  for (const { stages } of runs) {
    for (const { tools } of [stages.memory, stages.qa]) {
      valid += tools.verdicts.valid + tools.verdicts.repaired;
      counted += tools.counted;
    }
  }
  return counted === 0 ? "–" : `${percent(valid / counted)} (${fraction(valid, counted)})`;
}

function readingNotes({ intervals }: ReportSummary): string {
  const notes = [
    `Intervals are 95 % percentile bootstraps that draw whole contexts with replacement (${whole(intervals.resamples)} resamples, seed ${intervals.seed}), since the questions of one context stand and fall together. One context gives no interval.`,
    "A failed or unscored question is in no mean. It stays in the total, so 22/24 says that two of 24 have no score.",
    "An en dash means that there is no value. It is never a zero.",
    "Bold is the highest mean of a column, whether or not the intervals overlap; the paired differences say which gaps are more than noise.",
    "Runs that differ in the seed alone are pooled into one row, with the seeds below it.",
    "Building is phase I: one session per chunk, done once. Answering is phase II: one session per question.",
    "The data hash covers the texts of all contexts and questions, the prompt hash the prompt templates: equal hashes mean equal inputs.",
  ];
  return `<ul class="reading">${notes.map((note) => `<li>${escapeHtml(note)}</li>`).join("")}</ul>`;
}
