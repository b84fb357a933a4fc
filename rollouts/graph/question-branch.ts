/** One of the M branches of a final memory: what phase II is given, and the row that it gives. Branching copies nothing. */
import type { Answering, AnsweringUpdate } from "../../nodes/answering/state.ts";
import { SessionIdentity } from "../../nodes/session/state.ts";
import { answerSessionId } from "../rollout-context.ts";
import type { SessionSummary } from "./session-summary.ts";
import type { PlacedQuestion, Rollout, RolloutUpdate } from "./state.ts";
import { trajectoryName } from "./trajectory-branch.ts";
import type { StoppedMemory } from "./trajectory-state.ts";

/** A question of one trajectory. */
export interface Asking {
  readonly trajectory: number;
  readonly question: PlacedQuestion;
}

export const openQuestionBranch = (
  { identity, seed, sourceRef }: Rollout,
  { trajectory, question }: Asking,
  { core, memoryRef, parent }: StoppedMemory,
): AnsweringUpdate => ({
  question: question.text,
  position: question.position,
  ...{ core, memoryRef, sourceRef },
  identity: SessionIdentity.parse({ ...identity, trajectory, seed, question: question.id, parent }),
});

type Placed = Pick<Answering, "identity">;

/** A method that reads with the question in hand has sessions before the one that answers; that one is the row. */
export function closeQuestionBranch(
  { identity }: Placed,
  { answer, session }: Answering,
  sessions: readonly SessionSummary[],
): RolloutUpdate {
  const id = idOf(identity);
  const { valid = null, total = null } = sessions.find((summary) => summary.id === id) ?? {};
  const error = session?.error?.message ?? null;
  return questionRow(identity, { id, answer, end: session?.end ?? "error", valid, total, error });
}

export const failQuestionBranch = ({ identity }: Placed, error: string): RolloutUpdate =>
  questionRow(identity, { id: idOf(identity), answer: null, end: "error", valid: null, total: null, error });

const idOf = ({ context, trajectory, question }: SessionIdentity) => answerSessionId(context, trajectory, question!);

type Row = Rollout["answers"][string][string];

const questionRow = ({ trajectory, question }: SessionIdentity, row: Row): RolloutUpdate => ({
  answers: { [trajectoryName(trajectory)]: { [question!]: row } },
});
