/** Renders the initial prompt [I_sys, m_core, x_t] within its budget (UMA Eq. 1); h_t starts empty. */
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { section } from "../../policies/prompt-sections.ts";
import { offerOf } from "../../tools/toolsets.ts";
import { fillTemplate, type PromptTemplate } from "../prompts/prompts.ts";
import type { SessionDeps } from "./deps.ts";
import { fitPrompt, type PromptParts } from "./fit-prompt.ts";
import { fixedTokens } from "./fixed-tokens.ts";
import type { Stage } from "./record.ts";
import { sessionError } from "./session-error.ts";
import type { Session, SessionUpdate } from "./state.ts";

export function openSession(state: Session, deps: SessionDeps): SessionUpdate {
  const { countTokens } = deps.policy;
  const template = deps.prompts[promptUse(state.stage, deps)];
  const startedAt = Date.now();
  try {
    const room = promptRoom(state.stage, deps);
    const fitted = fitPrompt(state, { room, stage: state.stage, countTokens });
    const messages = [
      new SystemMessage({ id: "system", content: template.system }),
      new HumanMessage({ id: "prompt", content: renderUser(template, state.stage, fitted) }),
    ];
    const used = countTokens(fitted.core) + countTokens(fitted.context) + countTokens(fitted.focus);
    return {
      messages,
      truncated: fitted.truncated,
      spent: { prompt: deps.limits.promptTokens - room + used, interaction: 0, completion: 0, provider: null },
      startedAt,
      memoryBefore: state.memoryRef,
    };
  } catch (thrown) {
    return { error: sessionError("budget", thrown), startedAt, memoryBefore: state.memoryRef };
  }
}

/** Tokens left for core, context and focus when the instruction, the template and the tool specs are in. */
export function promptRoom(stage: Stage, deps: SessionDeps): number {
  const template = deps.prompts[promptUse(stage, deps)];
  const unfilled = renderUser(template, stage, { core: "", context: "", focus: "" });
  const fixed = [template.system, unfilled, offerOf(deps.toolset, stage).spec];
  return deps.limits.promptTokens - fixed.reduce((sum, text) => sum + fixedTokens(text, deps.policy.countTokens), 0);
}

/** Variants that give passages instead of tools name their own template. */
export const promptUse = (stage: Stage, deps: SessionDeps) =>
  deps.promptUse ?? (stage === "memory" ? "maintenance" : "answering");

function renderUser(template: PromptTemplate, stage: Stage, parts: PromptParts): string {
  return fillTemplate(template.user, {
    memory: section("core_memory", parts.core),
    context: section("context", parts.context),
    ...(stage === "memory" ? { chunk: section("chunk", parts.focus) } : { question: section("question", parts.focus) }),
  });
}
