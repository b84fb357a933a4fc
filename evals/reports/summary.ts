/**
 * A report as a plain JSON value: what was run, what it scored, how sure that is, and what it took.
 *
 * Made from run folders alone, and a pure function of them. Every number carries how many it is over; absent is null.
 */

import { type RunLog, readRuns } from "./read-run.ts";
import { type ComparedGroup, type Difference, differences } from "./summary/differences.ts";
import { groupRuns, type RunGroup } from "./summary/groups.ts";
import { type IntervalOptions, type Slices, sliceMetrics } from "./summary/metric-values.ts";
import { type QuestionCounts, type RunSummary, summariseRun } from "./summary/run-summary.ts";
import { metricNames, type ScoredQuestion, scoredQuestions } from "./summary/scored-questions.ts";

export interface GroupSummary extends RunGroup, Slices {
  readonly benchmark: string;
  readonly variant: RunSummary["variant"];
  readonly policy: RunSummary["policy"];
  readonly headline: string | null;
  /** Of its runs, ascending. */
  readonly seeds: readonly number[];
  readonly questions: QuestionCounts;
}

export interface ReportSummary {
  readonly v: 1;
  readonly intervals: IntervalOptions & { readonly level: 0.95; readonly clusteredBy: "context" };
  readonly runs: readonly RunSummary[];
  /** The rows of the tables: runs that differ in the seed alone are pooled. */
  readonly groups: readonly GroupSummary[];
  readonly differences: readonly Difference[];
}

export interface SummaryOptions {
  /** Benchmark → the metric that a one-number table shows. Without one it is the first that the scores list. */
  readonly headlines?: Readonly<Record<string, string>>;
  /** Of the bootstrap. */
  readonly seed?: number;
  readonly resamples?: number;
}

export const summarise = (folders: readonly string[], options: SummaryOptions = {}): ReportSummary =>
  summariseRuns(readRuns(folders), options);

export function summariseRuns(logs: readonly RunLog[], options: SummaryOptions = {}): ReportSummary {
  const intervals = { seed: options.seed ?? 0, resamples: options.resamples ?? 2_000 };
  const questions = logs.map(scoredQuestions);
  const runs = logs.map((log, i) => {
    const headline = headlineOf(log.config.benchmark.name, questions[i]!, options);
    return summariseRun(log, questions[i]!, { ...intervals, headline });
  });
  const groups = groupRuns(runs).map((group): GroupSummary => {
    const members = group.runs.map((index) => runs[index]!);
    const [first] = members as [RunSummary, ...RunSummary[]];
    const { metrics, categories, facets }: Slices =
      members.length === 1 ? first : sliceMetrics(pooled(group, questions), intervals);
    return {
      ...group,
      benchmark: first.benchmark.name,
      variant: first.variant,
      policy: first.policy,
      headline: members.find(({ headline }) => headline !== null)?.headline ?? null,
      seeds: [...new Set(members.map(({ seed }) => seed))].sort((a, b) => a - b),
      questions: addCounts(members.map((member) => member.questions)),
      metrics,
      categories,
      facets,
    };
  });
  const compared = groups.map(
    (group): ComparedGroup => ({
      label: group.label,
      benchmark: group.benchmark,
      metric: group.headline,
      questions: pooled(group, questions),
    }),
  );
  return {
    v: 1,
    intervals: { level: 0.95, clusteredBy: "context", ...intervals },
    runs,
    groups,
    differences: differences(compared, intervals),
  };
}

const pooled = (group: RunGroup, questions: readonly (readonly ScoredQuestion[])[]) =>
  group.runs.flatMap((index) => questions[index]!);

function headlineOf(benchmark: string, questions: readonly ScoredQuestion[], { headlines = {} }: SummaryOptions) {
  const names = metricNames(questions);
  const wanted = Object.hasOwn(headlines, benchmark) ? headlines[benchmark]! : null;
  return wanted !== null && names.includes(wanted) ? wanted : (names[0] ?? null);
}

function addCounts(counts: readonly QuestionCounts[]): QuestionCounts {
  const sum = (of: (count: QuestionCounts) => number) => counts.reduce((total, count) => total + of(count), 0);
  const distinct = sum(({ asked, distinct: questions = asked }) => questions);
  const asked = sum(({ asked: count }) => count);
  return {
    asked,
    ...(asked > distinct && { distinct }),
    finished: sum(({ finished }) => finished),
    answered: sum(({ answered }) => answered),
    unanswered: sum(({ unanswered }) => unanswered),
    failed: sum(({ failed }) => failed),
    scored: sum(({ scored }) => scored),
  };
}
