/**
 * What the next turn may cost (decisions §5, rule 2): whether it is the last one, and the room for its completion.
 *
 * Completions, observations and notices together never take more than `interactionTokens`. While tools are offered, a
 * reserve is kept free for one last turn without them: its notice and an answer. A policy that samples more than it was
 * given room for overshoots once; then its session is over, or its last turn is next.
 */
import { offerOf } from "../../tools/toolsets.ts";
import type { SessionDeps } from "./deps.ts";
import { fixedTokens } from "./fixed-tokens.ts";
import { finalAnswer } from "./limits.ts";
import { lastTurnNotice } from "./notices.ts";
import type { Session } from "./state.ts";

/** Below this there is no room for a reply worth asking for. */
export const LEAST_COMPLETION = 16;

export interface TurnBudget {
  /** Why this is the last turn, or null. On a last turn no tool is offered and none is run. */
  readonly lastTurn: "budget" | "turns" | null;
  /** Tokens of the notice that says so; 0 when no tools are taken away. */
  readonly noticeTokens: number;
  /** Room for the completion; under LEAST_COMPLETION the session ends without one. */
  readonly maxTokens: number;
}

export function turnBudget(state: Session, deps: SessionDeps): TurnBudget {
  const { limits } = deps;
  const room = limits.interactionTokens - state.spent.interaction;
  const reserve = lastTurnReserve(state, deps);
  const spentUp = reserve > 0 && room - reserve < LEAST_COMPLETION;
  const lastTurn = state.turn + 1 >= limits.maxTurns ? "turns" : spentUp ? "budget" : null;
  if (lastTurn === null) return { lastTurn, noticeTokens: 0, maxTokens: room - reserve };
  const noticeTokens = offersTools(state, deps) ? noticeCost(state, deps) : 0;
  return { lastTurn, noticeTokens, maxTokens: room - noticeTokens };
}

/** Tokens that observations may take after a turn's completion. */
export function observationRoom(state: Session, deps: SessionDeps): number {
  const reserve = state.lastTurn === null ? lastTurnReserve(state, deps) : 0;
  return Math.max(0, deps.limits.interactionTokens - state.spent.interaction - reserve);
}

const offersTools = (state: Session, deps: SessionDeps) => offerOf(deps.toolset, state.stage).tools.length > 0;

const noticeCost = (state: Session, deps: SessionDeps) =>
  fixedTokens(lastTurnNotice(state.stage), deps.policy.countTokens);

const lastTurnReserve = (state: Session, deps: SessionDeps) =>
  offersTools(state, deps) ? noticeCost(state, deps) + finalAnswer(deps.limits) : 0;
