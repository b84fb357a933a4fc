/** Ends a session: the plain text is UpdateCore in phase I and Answer in phase II (App. A.3), if the guard accepts it. */
import type { AIMessage, BaseMessage, ToolMessage } from "@langchain/core/messages";
import { tokenTurns } from "../../policies/message-tokens.ts";
import { textOf } from "../../policies/tool-call-parsing/parse-native.ts";
import type { SessionDeps } from "./deps.ts";
import { refuseCut, refuseText } from "./guard-text.ts";
import { sessionId } from "./identity.ts";
import { type MessageRecord, RECORD_VERSION, type SessionRecord } from "./record.ts";
import { recordTrace } from "./recorded-trace.ts";
import type { Session, SessionOutcome, SessionUpdate } from "./state.ts";

export function finishSession(state: Session, deps: SessionDeps): SessionUpdate {
  const outcome = outcomeOf(state, deps);
  deps.record?.(recordOf(state, outcome, deps));
  // a failed session changes nothing: its writes are on the record, not in the memory
  const undone = outcome.end === "error" || outcome.end === "cancelled";
  return { outcome, ...(undone && { memoryRef: state.memoryBefore }) };
}

function outcomeOf(state: Session, deps: SessionDeps): SessionOutcome {
  if (state.cancelled) return { end: "cancelled", text: null, refused: null, error: null };
  if (state.error) return { end: "error", text: null, refused: null, error: state.error };
  if (state.reply === null) return { end: state.lastTurn ?? "budget", text: null, refused: null, error: null };
  const said = state.messages.findLast((message) => message.getType() === "ai");
  const tools = deps.toolset.tools.map((tool) => tool.name);
  const unfit = refuseText(state.reply, { said: said && textOf(said), tools });
  const refused = unfit ?? (state.stage === "memory" ? refuseCut(state.cut) : null);
  return { end: "text", text: refused === null ? state.reply.trim() : null, refused, error: null };
}

function recordOf(state: Session, outcome: SessionOutcome, deps: SessionDeps): SessionRecord {
  const { policy, limits } = deps;
  const { identity, stage, spent } = state;
  const id = sessionId(state);
  const turns = tokenTurns(state.messages as BaseMessage[]);
  return {
    v: RECORD_VERSION,
    id,
    run: identity.run,
    context: identity.context,
    trajectory: identity.trajectory,
    stage,
    position: state.position,
    question: stage === "qa" ? identity.question : null,
    parent: identity.parent,
    seed: identity.seed,
    attempt: identity.attempt,
    variant: deps.variant,
    toolset: deps.toolset.name,
    policy: { name: policy.name, scripted: policy.scripted, weights: policy.weights },
    prompt: deps.prompts.hash,
    budget: {
      prompt: limits.promptTokens,
      interaction: limits.interactionTokens,
      turns: limits.maxTurns,
      calls: limits.maxCalls,
    },
    truncated: state.truncated,
    messages: state.messages.map(messageRecord),
    trace: turns && recordTrace(turns, id),
    calls: state.log,
    given: state.given,
    core:
      stage === "memory"
        ? {
            before: state.core,
            after: outcome.text ?? state.core,
            committed: outcome.text !== null,
            kept: outcome.text !== null ? null : (outcome.refused ?? `the session ended by ${outcome.end}`),
          }
        : null,
    answer: stage === "qa" ? outcome.text : null,
    end: outcome.end,
    cut: outcome.end === "text" ? state.cut : null,
    lastTurn: state.lastTurn,
    error: outcome.error,
    turns: state.turn,
    tokens: {
      prompt: spent.prompt,
      completion: spent.completion,
      interaction: spent.interaction,
      provider: spent.provider,
    },
    started: new Date(state.startedAt).toISOString(),
    ms: Math.max(0, Date.now() - state.startedAt),
  };
}

const roles = { system: "system", human: "user", ai: "assistant", tool: "tool" } as const;

function messageRecord(message: BaseMessage): MessageRecord {
  const role = roles[message.getType() as keyof typeof roles] ?? "user";
  const calls = role === "assistant" ? ((message as AIMessage).tool_calls ?? []) : [];
  return {
    role,
    text: textOf(message),
    ...(calls.length > 0 && { calls: calls.map(({ id, name, args }) => ({ id: id ?? "", name, args })) }),
    ...(role === "tool" && { callId: (message as ToolMessage).tool_call_id }),
  };
}
