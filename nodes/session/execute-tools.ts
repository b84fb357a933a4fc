/** Runs the pending calls and appends their observations to h_t; writes give a new bank under a new name. */
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { canonicalJson } from "../../base/hash.ts";
import { type Bank, writeLineage } from "../../memory/bank.ts";
import { type CallResult, executeCalls } from "../../tools/execute-calls.ts";
import type { World } from "../../tools/tool.ts";
import type { SessionDeps } from "./deps.ts";
import { sessionId } from "./identity.ts";
import { noToolsLeft } from "./notices.ts";
import type { CallRecord } from "./record.ts";
import { isControlFlow, runSignal } from "./run-config.ts";
import { sessionError } from "./session-error.ts";
import type { Session, SessionUpdate } from "./state.ts";
import { observationRoom } from "./turn-budget.ts";
import { writeHashes } from "./write-hashes.ts";

export async function executeTools(state: Session, deps: SessionDeps, config?: RunnableConfig): Promise<SessionUpdate> {
  const { limits, live, policy } = deps;
  const signal = runSignal(deps, config);
  try {
    const world: World = {
      bank: live.bank(state.memoryRef),
      source: live.source(state.sourceRef),
      upTo: state.position,
      writer: { chunk: state.stage === "memory" ? state.position : null, session: sessionId(state) },
    };
    const execution = await executeCalls(world, state.calls, {
      toolset: deps.toolset,
      phase: state.stage,
      maxCalls: limits.maxCalls,
      maxObservation: limits.maxObservation,
      budget: observationRoom(state, deps),
      countTokens: policy.countTokens,
      ...(state.lastTurn !== null && { refuse: noToolsLeft }),
      ...(signal && { signal }),
    });
    const { results, failure } = execution;
    const tokens = results.reduce((sum, result) => sum + result.tokens, 0);
    return {
      messages: [...asEdited(state), ...results.map((result, i) => observationMessage(result, state.turn - 1, i))],
      calls: [],
      sampled: [],
      memoryRef: execution.world.bank === world.bank ? state.memoryRef : live.keepBank(execution.world.bank),
      log: [...state.log, ...results.map((result) => callRecord(result, state.turn - 1, execution.world.bank))],
      spent: { ...state.spent, interaction: state.spent.interaction + tokens },
      error: failure === null ? null : { boundary: "tool", code: "failure", message: failure },
    };
  } catch (thrown) {
    if (isControlFlow(thrown)) throw thrown;
    if (signal?.aborted) return { calls: [], cancelled: true };
    return { calls: [], error: sessionError("tool", thrown) };
  }
}

const observationMessage = ({ call, observation, verdict }: CallResult, turn: number, index: number) =>
  new ToolMessage({
    id: `turn-${turn}-observation-${index}`,
    tool_call_id: call.id,
    name: call.name,
    content: observation,
    status: verdict === "invalid" || verdict === "refused" ? "error" : "success",
  });

const callRecord = (result: CallResult, turn: number, bank: Bank): CallRecord => ({
  turn,
  id: result.call.id,
  name: result.call.name,
  args: result.call.args,
  verdict: result.verdict,
  repaired: result.call.repaired || result.verdict === "repaired",
  observation: result.observation,
  tokens: result.tokens,
  ms: result.ms,
  writes: result.writes.map(({ by, ...write }) => ({
    ...write,
    hash: writeHashes(write),
    lineage: writeLineage(bank, write),
    chunk: by.chunk,
  })),
  reads: [...result.reads],
});

/** When a person changed the calls at a breakpoint, the history has to show the calls that were run. */
function asEdited(state: Session): AIMessage[] {
  if (state.calls === state.sampled || canonicalJson(state.calls) === canonicalJson(state.sampled)) return [];
  const sampled = state.messages.findLast((message) => message.getType() === "ai");
  if (!sampled) return [];
  const calls = state.calls.map(({ id, name, args }) => ({ id, name, args: args ?? {}, type: "tool_call" as const }));
  return [new AIMessage({ ...(sampled.id && { id: sampled.id }), content: sampled.content, tool_calls: calls })];
}
