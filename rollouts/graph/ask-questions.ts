/** Sends every final memory's questions out (UMA Fig. 3), and writes the rows of those whose memory is not there. */
import { END, Send } from "@langchain/langgraph";
import { answerSessionId } from "../rollout-context.ts";
import { type Asking, openQuestionBranch } from "./question-branch.ts";
import type { Rollout, RolloutUpdate } from "./state.ts";
import { trajectoryName } from "./trajectory-branch.ts";
import type { StoppedMemory } from "./trajectory-state.ts";

/** A LangGraph fan-out costs more per branch the wider it is; beyond this there is a next one. */
const BRANCHES = 500;

interface Open extends Asking {
  readonly memory: StoppedMemory | null;
}

export function askQuestions(state: Rollout): RolloutUpdate {
  const answers: Rollout["answers"] = {};
  for (const { trajectory, question, memory } of withoutRow(state)) {
    if (memory !== null) continue;
    const name = trajectoryName(trajectory);
    const id = answerSessionId(state.identity.context, trajectory, question.id);
    const why = state.trajectories[name]?.error ?? "the trajectory gave none";
    const error = `there is no memory after chunk ${question.position}: ${why}`;
    const row = { id, answer: null, end: "error" as const, valid: null, total: null, error };
    answers[name] = { ...answers[name], [question.id]: row };
  }
  return { answers };
}

export function sendQuestions(state: Rollout): Send[] | typeof END {
  const open = withoutRow(state).slice(0, BRANCHES);
  return open.length === 0 ? END : open.map((one) => new Send("answer", openQuestionBranch(state, one, one.memory!)));
}

function withoutRow({ G, drawn, trajectories, answers }: Rollout): Open[] {
  return Array.from({ length: G }, (_, trajectory) => {
    const name = trajectoryName(trajectory);
    const memories = trajectories[name]?.memories ?? [];
    return drawn
      .filter(({ id }) => !Object.hasOwn(answers[name] ?? {}, id))
      .map((question) => {
        const memory = memories.find(({ position }) => position === question.position) ?? null;
        return { trajectory, question, memory };
      });
  }).flat();
}
