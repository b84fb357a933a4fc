/** One policy call: a_t ~ π(· | I_sys, m_core, x_t, h_t) (UMA Eq. 2), within the turn and token limits. */
import { AIMessage, type BaseMessage, HumanMessage } from "@langchain/core/messages";
import type { RunnableConfig } from "@langchain/core/runnables";
import type { Sample } from "../../policies/policy.ts";
import { offerOf } from "../../tools/toolsets.ts";
import type { SessionDeps } from "./deps.ts";
import { sessionSeed } from "./identity.ts";
import { lastTurnNotice } from "./notices.ts";
import { isControlFlow, runSignal } from "./run-config.ts";
import { sessionError } from "./session-error.ts";
import type { Session, SessionUpdate } from "./state.ts";
import { LEAST_COMPLETION, turnBudget } from "./turn-budget.ts";

export async function sampleAction(state: Session, deps: SessionDeps, config?: RunnableConfig): Promise<SessionUpdate> {
  const { policy } = deps;
  const signal = runSignal(deps, config);
  if (signal?.aborted) return { cancelled: true };
  const { lastTurn, noticeTokens, maxTokens } = turnBudget(state, deps);
  if (maxTokens < LEAST_COMPLETION) return {};

  const notice =
    noticeTokens === 0 ? [] : [new HumanMessage({ id: `notice-${state.turn}`, content: lastTurnNotice(state.stage) })];
  try {
    const sample = await policy.sample({
      messages: [...(state.messages as BaseMessage[]), ...notice],
      tools: lastTurn === null ? offerOf(deps.toolset, state.stage).definitions : [],
      maxTokens,
      seed: sessionSeed(state, state.turn),
      ...(signal && { signal }),
      ...(config && { config }),
    });
    const completion = completionTokens(sample, policy.countTokens);
    const calls = [...sample.calls];
    return {
      messages: [...notice, named(sample.message, `turn-${state.turn}`)],
      calls,
      sampled: calls,
      reply: calls.length === 0 ? sample.text : null,
      // a policy of the user's own may not say
      cut: calls.length === 0 ? (sample.cut ?? null) : null,
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
    if (isControlFlow(thrown)) throw thrown;
    return signal?.aborted ? { cancelled: true } : { error: sessionError("policy", thrown) };
  }
}

/**
 * The message under an id of ours, by which a person's edit of its calls finds it again. A copy: a policy may give the same
 * object twice, and LangChain serialises only what a message was constructed with.
 */
function named(message: AIMessage, id: string): AIMessage {
  const { content, name, tool_calls, invalid_tool_calls, usage_metadata, additional_kwargs, response_metadata } =
    message;
  return new AIMessage({
    id,
    content,
    additional_kwargs,
    response_metadata,
    ...(name !== undefined && { name }),
    ...(tool_calls && { tool_calls }),
    ...(invalid_tool_calls && { invalid_tool_calls }),
    ...(usage_metadata && { usage_metadata }),
  });
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
