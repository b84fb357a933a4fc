/** Runs the pending calls and appends their observations to h_t; writes give a new bank under a new name. */
import { AIMessage, ToolMessage } from "@langchain/core/messages";
import type { ParsedCall } from "../../tools/call.ts";
import { type CallResult, executeCalls } from "../../tools/execute-calls.ts";
import type { World } from "../../tools/tool.ts";
import type { SessionDeps } from "./deps.ts";
import { sessionId } from "./identity.ts";
import { finalReserve } from "./limits.ts";
import { noToolsLeft } from "./notices.ts";
import type { CallRecord } from "./record.ts";
import type { Session, SessionUpdate } from "./state.ts";

export async function executeTools(state: Session, deps: SessionDeps): Promise<SessionUpdate> {
  const { limits, live, policy } = deps;
  const world: World = {
    bank: live.bank(state.memoryRef),
    source: live.source(state.sourceRef),
    upTo: state.position,
    writer: { chunk: state.stage === "memory" ? state.position : null, session: sessionId(state) },
  };
  const last = state.lastTurn !== null;
  const room = limits.interactionTokens - state.spent.interaction - (last ? 0 : finalReserve(limits));
  let execution: Awaited<ReturnType<typeof executeCalls>>;
  try {
    execution = await executeCalls(world, state.calls, {
      toolset: deps.toolset,
      phase: state.stage,
      maxCalls: limits.maxCalls,
      maxObservation: limits.maxObservation,
      budget: room,
      countTokens: policy.countTokens,
      ...(last && { refuse: noToolsLeft }),
      ...(deps.signal && { signal: deps.signal }),
    });
  } catch (thrown) {
    if (deps.signal?.aborted) return { calls: [], cancelled: true };
    throw thrown;
  }
  const { results } = execution;
  const observationTokens = results.reduce((sum, result) => sum + result.tokens, 0);
  return {
    messages: [...asEdited(state), ...results.map((result, i) => observationMessage(result, state.turn, i))],
    calls: [],
    memoryRef: execution.world.bank === world.bank ? state.memoryRef : live.keepBank(execution.world.bank),
    log: [...state.log, ...results.map((result) => callRecord(result, state.turn))],
    spent: { ...state.spent, interaction: state.spent.interaction + observationTokens },
    error: execution.failure === null ? null : { boundary: "tool", code: "failure", message: execution.failure },
  };
}

const observationMessage = ({ call, observation, verdict }: CallResult, turn: number, index: number) =>
  new ToolMessage({
    id: `turn-${turn}-observation-${index}`,
    tool_call_id: call.id,
    name: call.name,
    content: observation,
    status: verdict === "invalid" || verdict === "refused" ? "error" : "success",
  });

const callRecord = (result: CallResult, turn: number): CallRecord => ({
  turn,
  id: result.call.id,
  name: result.call.name,
  args: result.call.args,
  verdict: result.verdict,
  repaired: result.call.repaired || result.verdict === "repaired",
  observation: result.observation,
  tokens: result.tokens,
  ms: result.ms,
  writes: result.writes.map(({ by, ...write }) => ({ ...write, chunk: by.chunk })),
  reads: [...result.reads],
});

/** When a person changed the calls at a breakpoint, the history has to show the calls that were run. */
function asEdited(state: Session): AIMessage[] {
  const sampled = state.messages.findLast((message) => message.getType() === "ai") as AIMessage | undefined;
  if (!sampled || sameCalls(sampled, state.calls)) return [];
  const edited = state.calls.map((call) => ({
    id: call.id,
    name: call.name,
    args: call.args ?? {},
    type: "tool_call" as const,
  }));
  return [new AIMessage({ ...(sampled.id && { id: sampled.id }), content: sampled.content, tool_calls: edited })];
}

const sameCalls = (message: AIMessage, calls: readonly ParsedCall[]) => {
  const sampled = message.tool_calls ?? [];
  return (
    sampled.length === calls.length &&
    sampled.every((call, i) => {
      const now = calls[i]!;
      return (
        call.id === now.id &&
        call.name === now.name &&
        (now.args === null || JSON.stringify(call.args) === JSON.stringify(now.args))
      );
    })
  );
};
