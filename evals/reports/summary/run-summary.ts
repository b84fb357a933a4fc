/** Everything a report says about one run, as a plain value. */
import { contentHash } from "../../../base/hash.ts";
import type { RunConfig } from "../../run-folder.ts";
import { whole } from "../format-number.ts";
import type { RunLog } from "../read-run.ts";
import { type BankGrowth, bankGrowth } from "./bank-growth.ts";
import { type Cost, costOf } from "./cost.ts";
import { type EvidenceUse, evidenceUse } from "./evidence-use.ts";
import { type IntervalOptions, type MetricValue, type Slices, sliceMetrics } from "./metric-values.ts";
import type { ScoredQuestion } from "./scored-questions.ts";
import { type CoreCommits, coreCommits, hasFailed, type SessionOutcomes, sessionOutcomes } from "./session-outcomes.ts";
import { type ToolUse, toolUse } from "./tool-use.ts";

/** Counts answers: one per question, or one per question and trajectory. */
export interface QuestionCounts {
  readonly asked: number;
  /** Questions, where each was asked of several trajectories. */
  readonly distinct?: number;
  /** Have a QA session. */
  readonly finished: number;
  /** Gave an answer that the guard accepted. */
  readonly answered: number;
  /** Ended without one: budget, turns, or a refused text. */
  readonly unanswered: number;
  /** Ended by an error or were cancelled. */
  readonly failed: number;
  /** Have a value by the headline metric. */
  readonly scored: number;
}

export interface RunSummary extends Slices {
  readonly folder: string;
  readonly name: string;
  readonly umagraph: string;
  readonly created: string;
  readonly benchmark: RunConfig["benchmark"] & {
    /** Hash over the hashes of the contexts that were begun; null when there is none. */
    readonly data: string | null;
    readonly contexts: number;
    readonly chunks: number;
  };
  readonly variant: RunConfig["variant"];
  readonly policy: RunConfig["policy"] & { readonly weights: readonly string[] };
  readonly seed: number;
  /** Trajectories per context, and questions per context when not all. */
  readonly rollout: RunConfig["rollout"];
  readonly toolset: string;
  readonly prompts: RunConfig["prompts"];
  readonly limits: RunConfig["limits"];
  readonly concurrency: number;
  /** The metric that a one-number table shows; null when nothing is scored yet. */
  readonly headline: string | null;
  readonly questions: QuestionCounts;
  readonly stages: {
    readonly memory: SessionOutcomes & { readonly tools: ToolUse };
    readonly qa: SessionOutcomes & { readonly tools: ToolUse };
  };
  readonly cores: CoreCommits | null;
  readonly cost: {
    readonly build: Cost | null;
    readonly answer: Cost | null;
    /** Attempts that were given up to be run again; in neither of the others. */
    readonly superseded: Cost | null;
  };
  readonly banks: readonly BankGrowth[];
  readonly evidence: EvidenceUse | null;
  /** What a reader has to know before trusting the numbers. */
  readonly remarks: readonly string[];
}

export function summariseRun(
  run: RunLog,
  questions: readonly ScoredQuestion[],
  options: IntervalOptions & { readonly headline: string | null },
): RunSummary {
  const { config, records, contexts } = run;
  const memory = records.filter(({ stage }) => stage === "memory");
  const qa = records.filter(({ stage }) => stage === "qa");
  const failed = qa.filter(hasFailed).length;
  const answered = qa.filter((record) => !hasFailed(record) && record.answer !== null).length;
  const slices = sliceMetrics(questions, options);
  const { headline } = options;
  const asked = questions.reduce((sum, { answers }) => sum + answers.asked, 0);
  const counts: QuestionCounts = {
    asked,
    ...(asked > questions.length && { distinct: questions.length }),
    finished: qa.length,
    answered,
    unanswered: qa.length - failed - answered,
    failed,
    scored: headline === null ? 0 : scoredAnswers(slices.metrics[headline]),
  };
  return {
    folder: run.folder,
    name: config.name,
    umagraph: config.umagraph,
    created: config.created,
    benchmark: {
      ...config.benchmark,
      data: dataHash(run),
      contexts: contexts.length,
      chunks: contexts.reduce((sum, { chunks }) => sum + chunks, 0),
    },
    variant: config.variant,
    policy: {
      ...config.policy,
      weights: [...new Set(records.flatMap(({ policy }) => policy.weights ?? []))].sort(),
    },
    seed: config.seed,
    rollout: config.rollout,
    toolset: config.toolset,
    prompts: config.prompts,
    limits: config.limits,
    concurrency: config.concurrency,
    headline,
    questions: counts,
    ...slices,
    stages: {
      memory: { ...sessionOutcomes(memory), tools: toolUse(memory) },
      qa: { ...sessionOutcomes(qa), tools: toolUse(qa) },
    },
    cores: coreCommits(memory),
    cost: { build: costOf(memory), answer: costOf(qa), superseded: costOf(run.superseded) },
    banks: bankGrowth(memory),
    evidence: evidenceUse(qa),
    remarks: remarksOn(run, counts),
  };
}

const scoredAnswers = (value: MetricValue | undefined) => value?.answers?.scored ?? value?.scored ?? 0;

/** Contexts run concurrently, so their lines come in any order. */
function dataHash({ contexts }: RunLog): string | null {
  if (contexts.length === 0) return null;
  return contentHash(JSON.stringify(contexts.map(({ id, hash }) => [id, hash]).sort()));
}

function remarksOn({ config, contexts, records, superseded, scores }: RunLog, counts: QuestionCounts): string[] {
  const remarks: string[] = [];
  const asked = counts.distinct === undefined ? "questions" : "answers";
  if (config.policy.scripted)
    remarks.push(
      `No model was run: "${config.policy.name}" is a scripted policy, a floor for models and not a result.`,
    );
  const missing = counts.asked - counts.finished;
  if (missing > 0)
    remarks.push(`${whole(missing)} of ${whole(counts.asked)} ${asked} have no session: the run was not finished.`);
  if (counts.failed > 0)
    remarks.push(
      `${whole(counts.failed)} of ${whole(counts.asked)} ${asked} failed; they are in no mean, so read scored/total.`,
    );
  if (counts.finished > 0 && scores.length === 0)
    remarks.push("Nothing is scored yet: scores.jsonl is missing or empty.");
  if (contexts.length === 1) remarks.push("One context gives no interval: intervals are clustered by context.");
  if (superseded.length > 0)
    remarks.push(
      `${whole(superseded.length)} attempts were given up to be run again; only the last one of a session counts.`,
    );
  const prompts = new Set(records.map(({ prompt }) => prompt));
  if (prompts.size > 1) remarks.push(`Sessions of ${prompts.size} different prompt hashes are mixed in this run.`);
  return remarks;
}
