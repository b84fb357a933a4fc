/** Methods that put passages into the prompt instead of offering tools: one sampled reply per question, the same for Concat and RAG. */
import { END, START, StateGraph } from "@langchain/langgraph";
import { messageOf } from "../../base/errors.ts";
import { closeQuestion, openQuestion, takeAnswer } from "../../nodes/answering/question-session.ts";
import { type Answering, AnsweringState, type AnsweringUpdate } from "../../nodes/answering/state.ts";
import type { PromptUse } from "../../nodes/prompts/prompts.ts";
import type { SessionDeps } from "../../nodes/session/deps.ts";
import { liveObjects } from "../../nodes/session/live-objects.ts";
import { promptRoom } from "../../nodes/session/open-session.ts";
import type { Session } from "../../nodes/session/state.ts";
import type { Source } from "../../retrieval/source.ts";
import { asNode } from "../as-node.ts";
import type { GraphDeps } from "../graph-deps.ts";
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
    toolset: { name: "none", tools: [] },
  });
  const find = (source: Source, question: string, position: number, deps: SessionDeps) =>
    options.passages({
      source,
      question,
      position,
      room: promptRoom("qa", deps) - deps.policy.countTokens(question),
      countTokens: deps.policy.countTokens,
    });

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
      const identity = sessionIdentity(env, question.id);
      const opened = { stage: "qa" as const, focus: question.text, position: question.position, identity };
      const found = await find(env.source, question.text, question.position, deps).catch((thrown: unknown) => ({
        error: { boundary: "tool" as const, code: "failure", message: messageOf(thrown) },
      }));
      const session = await runSession({ ...opened, ...found }, deps);
      return session.outcome?.text ?? null;
    },
    phases(graphDeps: GraphDeps) {
      const deps = withoutTools(graphDeps);
      const addPassages = async (state: Answering): Promise<AnsweringUpdate> => {
        const source = deps.live.source(state.sourceRef);
        return source ? find(source, state.question, state.position, deps) : {};
      };
      return {
        memorize: createKeepChunksGraph(deps),
        answer: new StateGraph(AnsweringState)
          .addNode("findPassages", addPassages)
          .addNode(
            "askModel",
            ...asNode<Answering, Session>(createSessionGraph(deps), {
              input: openQuestion,
              output: closeQuestion,
              recursionLimit: sessionSteps(deps),
            }),
          )
          .addNode("takeAnswer", takeAnswer)
          .addEdge(START, "findPassages")
          .addEdge("findPassages", "askModel")
          .addEdge("askModel", "takeAnswer")
          .addEdge("takeAnswer", END)
          .compile({ name: `${name}-answer` }),
      };
    },
  };
}
