/** A thread that builds a policy from its spec once and samples. */
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { createPolicy } from "../../../policies/index.ts";
import type { Policy, PolicySpec } from "../../../policies/policy.ts";

let policy: Promise<Policy> | null = null;

export default async function run({ spec, seed }: { spec: PolicySpec; seed: number }): Promise<string> {
  policy ??= createPolicy(spec);
  const messages = [new SystemMessage("Keep the books."), new HumanMessage("I paid 12 for lunch on 2024-03-04.")];
  return (await (await policy).sample({ messages, tools: [], maxTokens: 24, seed })).text;
}
