/** Habit rates of a scripted policy over generated Ledger-QA dialogues, through the real sessions. */
import { ledgerQa } from "../../../evals/benchmarks/ledger-qa/benchmark.ts";
import { ledgerQaConfig } from "../../../evals/benchmarks/ledger-qa/config.ts";
import { contextLine } from "../../../evals/run-folder.ts";
import { loadPrompts } from "../../../nodes/prompts/prompts.ts";
import type { SessionRecord } from "../../../nodes/session/record.ts";
import type { Policy } from "../../../policies/policy.ts";
import { sampleRollouts } from "../../../rollouts/sample-rollouts.ts";
import { toolsets } from "../../../tools/toolsets.ts";
import type { HabitSource } from "../../../trainers/habits/habit-rates.ts";

const prompts = { micro: loadPrompts("micro"), default: loadPrompts() };

export async function sampled(
  policy: Policy,
  config: Record<string, unknown>,
  { G = 1, prompt = "micro" }: { readonly G?: number; readonly prompt?: keyof typeof prompts } = {},
): Promise<HabitSource> {
  const contexts = [];
  for await (const context of ledgerQa.load(ledgerQaConfig.parse(config))) contexts.push(context);
  const records: SessionRecord[] = [];
  const options = { G, policy, toolset: toolsets.ledger, prompts: prompts[prompt], seed: 1 };
  for await (const record of sampleRollouts(contexts, options)) records.push(record);
  return { benchmark: { name: "ledger-qa", config }, contexts: contexts.map(contextLine), records };
}
