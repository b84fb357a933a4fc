/** One policy call: a_t ~ π(· | I_sys, m_core, x_t, h_t) (UMA Eq. 2), within the turn and token limits. */
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import { messageOf, UmaError } from "../../base/errors.ts";
import type { Sample } from "../../policies/policy.ts";
import { toolDefinition } from "../../tools/tool.ts";
import { toolsOf } from "../../tools/toolsets.ts";
import type { SessionDeps } from "./deps.ts";
import { sessionSeed } from "./identity.ts";
import { finalReserve } from "./limits.ts";
import { lastTurnNotice } from "./notices.ts";
import type { Session, SessionUpdate } from "./state.ts";

/** Below this there is no room for an answer worth asking for. */
const LEAST_COMPLETION = 16;

export async function sampleAction(state: Session, deps: SessionDeps, config?: RunnableConfig): Promise<SessionUpdate> {
  const { limits, policy } = deps;
  const tools = toolsOf(deps.toolset, state.stage);
  const room = limits.interactionTokens - state.spent.interaction;
  const reserve = tools.length === 0 ? 0 : finalReserve(limits);
  const lastTurn =
    tools.length === 0 ? null : state.turn + 1 >= limits.maxTurns ? "turns" : room <= reserve ? "budget" : null;

  const notice =
    lastTurn === null || state.turn === 0
      ? []
      : [new HumanMessage({ id: `notice-${state.turn}`, content: lastTurnNotice(state.stage) })];
  const noticeTokens = notice.reduce((sum, message) => sum + policy.countTokens(message.text), 0);
  const maxTokens = room - noticeTokens - (lastTurn === null ? reserve : 0);
  if (maxTokens < LEAST_COMPLETION) return { calls: [], reply: null, lastTurn: "budget" };

  try {
    const sample = await policy.sample({
      messages: [...(state.messages as BaseMessage[]), ...notice],
      tools: lastTurn === null ? tools.map(toolDefinition) : [],
      maxTokens,
      seed: sessionSeed(state, state.turn),
      ...(deps.signal && { signal: deps.signal }),
      ...(config && { config }),
    });
    const completion = completionTokens(sample, policy.countTokens);
    sample.message.id = `turn-${state.turn}`;
    return {
      messages: [...notice, sample.message],
      calls: [...sample.calls],
      reply: sample.calls.length === 0 ? sample.text : null,
      turn: state.turn + 1,
      lastTurn,
      spent: {
        prompt: state.spent.prompt,
        interaction: state.spent.interaction + noticeTokens + completion,
        completion: state.spent.completion + completion,
        provider: sample.usage === null ? state.spent.provider : addUsage(state.spent.provider, sample.usage),
      },
    };
  } catch (thrown) {
    if (isInterrupt(thrown)) throw thrown;
    if (deps.signal?.aborted) return { calls: [], reply: null, cancelled: true };
    const code = thrown instanceof UmaError ? thrown.code : "failure";
    return { calls: [], reply: null, error: { boundary: "policy", code, message: messageOf(thrown) } };
  }
}

/** What was sampled, by the provider's count where it gave one. */
function completionTokens(sample: Sample, countTokens: (text: string) => number): number {
  if (sample.usage) return sample.usage.completion;
  const calls = sample.calls.map((call) => `${call.name} ${JSON.stringify(call.args ?? "")}`);
  return [sample.text, ...calls].reduce((sum, text) => sum + (text === "" ? 0 : countTokens(text)), 0);
}

const addUsage = (sum: Session["spent"]["provider"], usage: { prompt: number; completion: number }) => ({
  prompt: (sum?.prompt ?? 0) + usage.prompt,
  completion: (sum?.completion ?? 0) + usage.completion,
});

/** LangGraph's own control flow (interrupts) travels as errors and is not a policy failure. */
const isInterrupt = (thrown: unknown) => thrown instanceof Error && "is_bubble_up" in thrown;
