/** Takes the context out of the state, draws its M questions once, and finds out where trajectories have to keep their memory. */
import { Overwrite } from "@langchain/langgraph";
import { UmaError } from "../../base/errors.ts";
import type { GraphDeps } from "../../graphs/graph-deps.ts";
import { namedQuestions } from "../../nodes/agent/dispatch-questions.ts";
import type { Source } from "../../retrieval/source.ts";
import { drawQuestions } from "../draw-questions.ts";
import { type PlacedQuestion, type Rollout, RolloutIdentity, type RolloutUpdate } from "./state.ts";

type Opening = Pick<GraphDeps, "live" | "openSource">;

/** LangGraph's measured limit for one fan-out; more than a group ever has. */
const MOST_TRAJECTORIES = 500;

/** Throws `config` for counts that make no rollout, `input` for questions that cannot be asked of this context. */
export function openRollout(state: Rollout, deps: Opening): RolloutUpdate {
  const { G, M, seed } = state;
  if (!Number.isInteger(G) || G < 1 || G > MOST_TRAJECTORIES)
    throw new UmaError("config", `expected G, the trajectories, to be 1 to ${MOST_TRAJECTORIES}, got ${G}`);
  if (M !== null && (!Number.isInteger(M) || M < 1))
    throw new UmaError("config", `expected M, the questions to draw, to be at least 1, or empty for all; got ${M}`);
  const identity = RolloutIdentity.parse(state.identity);
  const source = sourceOf(state, deps);
  const last = source.chunks.length - 1;
  const questions = namedQuestions(state).map((question) => placed(question, last));
  const drawn = drawQuestions({ id: identity.context, chunks: source.chunks, questions }, M, seed);
  const positions = [...new Set([...drawn.map(({ position }) => position), last])].sort((a, b) => a - b);
  return {
    chunks: [],
    identity,
    sourceRef: deps.live.keepSource(source),
    stops: positions.map((position) => ({ position, sourceRef: keepUpTo(source, position, deps) })),
    drawn: [...drawn],
    // a thread may have sampled before
    trajectories: new Overwrite({}) as unknown as Rollout["trajectories"],
    answers: new Overwrite({}) as unknown as Rollout["answers"],
  };
}

function sourceOf({ chunks, sourceRef }: Rollout, { live, openSource }: Opening): Source {
  const source = chunks.length > 0 ? openSource(chunks) : live.source(sourceRef);
  if (source === null) throw new UmaError("input", "nothing to read: expected at least one chunk, got none");
  return source;
}

function placed(question: { id: string; text: string; position?: number | null }, last: number): PlacedQuestion {
  const { id, text } = question;
  const position = question.position ?? last;
  if (!Number.isInteger(position) || position < 0 || position > last) {
    throw new UmaError("input", `the question "${id}" is asked after chunk ${position}, and chunks are 0 to ${last}`, {
      fix: "leave the position out to ask it at the end",
    });
  }
  return { id, text, position };
}

const keepUpTo = (source: Source, position: number, { live, openSource }: Opening) =>
  live.keepSource(position === source.chunks.length - 1 ? source : openSource(source.chunks.slice(0, position + 1)));
