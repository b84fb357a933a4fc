/** Methods that put passages into the prompt instead of offering tools: one sampled reply per question, the same for Concat and RAG. */
import { END, START, StateGraph } from "@langchain/langgraph";
import { closeQuestion, lastChunk, openQuestion, takeAnswer } from "../../nodes/answering/question-session.ts";
import { type Answering, AnsweringInput, AnsweringState, type AnsweringUpdate } from "../../nodes/answering/state.ts";
import type { PromptUse } from "../../nodes/prompts/prompts.ts";
import type { SessionDeps } from "../../nodes/session/deps.ts";
import { liveObjects } from "../../nodes/session/live-objects.ts";
import { promptRoom } from "../../nodes/session/open-session.ts";
import type { SessionError } from "../../nodes/session/record.ts";
import { sessionError } from "../../nodes/session/session-error.ts";
import type { Session } from "../../nodes/session/state.ts";
import type { Source } from "../../retrieval/source.ts";
import type { Toolset } from "../../tools/toolsets.ts";
import { asNode } from "../as-node.ts";
import { compileGraph } from "../compile-options.ts";
import { runSession } from "../run-session.ts";
import { createSessionGraph, sessionSteps } from "../session.ts";
import { createKeepChunksGraph } from "./keep-chunks.ts";
import { type NoMemory, noMemoryCodec } from "./no-memory.ts";
import { sessionDeps, sessionIdentity } from "./session-deps.ts";
import type { Variant } from "./variant.ts";

export interface PassageQuery {
  readonly source: Source;
  readonly question: string;
  /** The last chunk that may be shown. */
  readonly position: number;
  /** Tokens that the passages may take. */
  readonly room: number;
  readonly countTokens: (text: string) => number;
}

export type Passages = Pick<Answering, "context" | "given">;

const noTools: Toolset = { name: "none", tools: [] };

export function passageVariant(options: {
  name: string;
  paper: string;
  description: string;
  promptUse: PromptUse;
  passages(query: PassageQuery): Promise<Passages>;
}): Variant<NoMemory> {
  const { name, paper, description, promptUse } = options;
  const withoutTools = <Deps extends SessionDeps>(deps: Deps): Deps => ({
    ...deps,
    variant: name,
    promptUse,
    toolset: noTools,
  });
  /** Passages, or what went wrong with finding them: a session that fails before it starts is data too. */
  const find = async (
    where: { source: Source; question: string; position: number },
    deps: SessionDeps,
  ): Promise<Passages | { error: SessionError }> => {
    const { countTokens } = deps.policy;
    const room = promptRoom("qa", deps) - countTokens(where.question);
    try {
      return await options.passages({ ...where, room, countTokens });
    } catch (thrown) {
      return { error: sessionError("tool", thrown) };
    }
  };

  return {
    name,
    paper,
    description,
    questionHidden: true,
    codec: noMemoryCodec,
    begin: () => null,
    keepsMemory: false,
    memorize: async (memory) => memory,
    replay: (memory) => memory,
    async answer(_memory, question, env) {
      const deps = withoutTools(sessionDeps(env, liveObjects(), name));
      const { text, position } = question;
      const found = await find({ source: env.source, question: text, position }, deps);
      const identity = sessionIdentity(env, question.id);
      const session = await runSession({ stage: "qa", focus: text, position, identity, ...found }, deps);
      return session.outcome?.text ?? null;
    },
    phases(graphDeps) {
      const deps = withoutTools(graphDeps);
      const findPassages = async (state: Answering): Promise<AnsweringUpdate> => {
        const source = deps.live.source(state.sourceRef);
        if (!source) return {};
        return find({ source, question: state.question, position: lastChunk(state, deps.live) }, deps);
      };
      const answer = new StateGraph({ state: AnsweringState, input: AnsweringInput })
        .addNode("findPassages", findPassages)
        .addNode(
          "askModel",
          ...asNode<Answering, Session>(createSessionGraph(deps), {
            input: (state) => openQuestion(state, deps.live),
            output: closeQuestion,
            recursionLimit: sessionSteps(deps),
          }),
        )
        .addNode("takeAnswer", takeAnswer)
        .addEdge(START, "findPassages")
        .addEdge("findPassages", "askModel")
        .addEdge("askModel", "takeAnswer")
        .addEdge("takeAnswer", END);
      return {
        memorize: createKeepChunksGraph(deps),
        answer: compileGraph(answer, { name: `${name}-answer` }),
      };
    },
  };
}
