// A thread that builds a policy from its spec once, and samples. Its TypeScript loader is registered here, as in the pool.
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { register } from "tsx/esm/api";

register();
const { createPolicy } = await import("../../../policies/index.ts");
let policy = null;

export default async function run({ spec, seed }) {
  policy ??= createPolicy(spec);
  const messages = [new SystemMessage("Keep the books."), new HumanMessage("I paid 12 for lunch on 2024-03-04.")];
  return (await (await policy).sample({ messages, tools: [], maxTokens: 24, seed })).text;
}
