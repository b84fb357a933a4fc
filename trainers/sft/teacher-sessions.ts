/**
 * Plays a scripted teacher through the real sessions on generated Ledger-QA dialogues: what supervised training learns from.
 *
 * Nothing is rendered here and nothing is made up: the same driver, tools and observations that a policy will meet.
 */
import type { EvalContext } from "../../evals/benchmark.ts";
import { ledgerQa } from "../../evals/benchmarks/ledger-qa/benchmark.ts";
import { ledgerQaConfig } from "../../evals/benchmarks/ledger-qa/config.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import type { SessionRecord, Stage } from "../../nodes/session/record.ts";
import { createPolicy } from "../../policies/index.ts";
import type { PolicySpec } from "../../policies/policy.ts";
import { sampleRollouts } from "../../rollouts/sample-rollouts.ts";
import { toolsets } from "../../tools/toolsets.ts";
import type { SupervisedSession } from "./supervised-session.ts";

export interface TeacherOptions {
  readonly profile: "micro" | "full";
  /** `train` for everything that is trained on. */
  readonly split: "train" | "test";
  /** Sessions per context; each block has contexts of every horizon. */
  readonly horizons: readonly number[];
  /** Questions asked about each context, drawn by seed; null for all of them. */
  readonly questions: number | null;
  readonly seed: number;
  /** Only questions of these types are asked, by the benchmark's names for them. */
  readonly asked?: readonly string[] | undefined;
  /** Only sessions of this stage are given; the others are played all the same. */
  readonly stage?: Stage | undefined;
  /** How often a session changes an earlier one; the profile's own share when left out. */
  readonly changes?: number | undefined;
  /** How often an amount is put right in its session; the usual share when left out. */
  readonly corrections?: number | undefined;
  readonly teacher?: PolicySpec | undefined;
}

/** The teacher of the clean start. */
export const entriesExpert: PolicySpec = { policy: "ledger-expert", style: "entries" };

/** Without end, in an order that the options alone decide. */
export async function* teacherSessions(options: TeacherOptions): AsyncGenerator<SupervisedSession, void> {
  const { profile, split, horizons, questions, seed, asked, stage, changes, corrections } = options;
  const policy = await createPolicy(options.teacher ?? entriesExpert);
  const prompts = loadPrompts("micro");
  for (let block = 0; ; block++) {
    const config = ledgerQaConfig.parse({
      profile,
      split,
      horizon: [...horizons],
      contexts: 2,
      seed: seed * 1_000_000 + block,
      ...(changes !== undefined && { changes }),
      ...(corrections !== undefined && { corrections }),
    });
    const contexts = ledgerQa.load(config);
    const records = sampleRollouts(asked ? askedOnly(contexts, asked) : contexts, {
      ...{ G: 1, M: questions, policy, prompts, toolset: toolsets.ledger, seed: block },
      concurrency: 1,
    });
    for await (const record of records) if (stage === undefined || record.stage === stage) yield sessionOf(record);
  }
}

async function* askedOnly(contexts: AsyncIterable<EvalContext>, types: readonly string[]) {
  for await (const context of contexts) {
    const questions = context.questions.filter(({ category }) => types.includes(category));
    if (questions.length > 0) yield { ...context, questions };
  }
}

const sessionOf = ({ id, stage, messages }: SessionRecord): SupervisedSession => ({ id, stage, messages });
