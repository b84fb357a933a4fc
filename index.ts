/**
 * umagraph: agents that learn to remember, on LangGraph.js.
 *
 * The names most programs need. Everything else is under the subpaths memory, retrieval, tools, policies,
 * graphs, rollouts, evals, trainers, learner.
 */

export { UmaError } from "./base/errors.ts";
export { createAgentGraph } from "./graphs/agent.ts";
export { createAnsweringGraph } from "./graphs/answering.ts";
export { asNode } from "./graphs/as-node.ts";
export { createAgent } from "./graphs/create-agent.ts";
export { graphDeps } from "./graphs/default-deps.ts";
export { createMaintenanceGraph } from "./graphs/maintenance.ts";
export { createSessionGraph } from "./graphs/session.ts";
export { loadVariant } from "./graphs/variants/load-variant.ts";
export type { Variant } from "./graphs/variants/variant.ts";
export type { Bank, Entry } from "./memory/bank.ts";
export { chunkMessages, chunkSessions, chunkText } from "./memory/chunking.ts";
export { memoryCodec } from "./memory/codec.ts";
export { emptyMemory, type Memory } from "./memory/memory.ts";
export type { MemoryStore } from "./memory/store/memory-store.ts";
export { openSqliteStore } from "./memory/store/sqlite-store.ts";
export type { SessionRecord } from "./nodes/session/record.ts";
export { chatModelPolicy } from "./policies/chat-model-policy.ts";
export { createPolicy } from "./policies/index.ts";
export type { Policy } from "./policies/policy.ts";
export { createSource, type Source } from "./retrieval/source.ts";
export { type SampleRolloutsOptions, sampleRollouts } from "./rollouts/sample-rollouts.ts";
export { asLangChainTools } from "./tools/langchain-tools.ts";
export { toolsets } from "./tools/toolsets.ts";
