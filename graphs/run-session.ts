/** A session as a plain loop over the same steps as graphs/session.ts: what rollouts and evaluation run (decisions §6). */
import type { SessionDeps } from "../nodes/session/deps.ts";
import { executeTools } from "../nodes/session/execute-tools.ts";
import { finishSession } from "../nodes/session/finish-session.ts";
import { openSession } from "../nodes/session/open-session.ts";
import { afterOpen, calledTools, mayGoOn } from "../nodes/session/routes.ts";
import { sampleAction } from "../nodes/session/sample-action.ts";
import { type Session, SessionState, type SessionUpdate } from "../nodes/session/state.ts";
import { foldState, openState } from "./fold-state.ts";

export async function runSession(input: SessionUpdate, deps: SessionDeps): Promise<Session> {
  let state = openState(SessionState, input);
  const fold = (update: SessionUpdate) => {
    state = foldState(SessionState, state, update);
  };
  fold(openSession(state, deps));
  let next = afterOpen(state);
  while (next === "sample") {
    fold(await sampleAction(state, deps));
    if (calledTools(state) === "finish") break;
    fold(await executeTools(state, deps));
    next = mayGoOn(state);
  }
  fold(finishSession(state, deps));
  return state;
}
