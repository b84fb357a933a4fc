/** Where a session goes next. Predicates read as sentences; graphs and the loop driver use the same ones. */
import type { Session } from "./state.ts";

export const afterOpen = (state: Session) => (state.error ? "finish" : "sample");

/** Calls that a person took away at a breakpoint were made all the same: the session goes on without them. */
export const calledTools = ({ error, cancelled, calls, sampled }: Session) =>
  !error && !cancelled && (calls.length > 0 || sampled.length > 0) ? "execute" : "finish";

export const mayGoOn = (state: Session) =>
  state.error || state.cancelled || state.lastTurn !== null ? "finish" : "sample";
