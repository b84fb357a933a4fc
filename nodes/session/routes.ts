/** Where a session goes next. Predicates read as sentences; graphs and the loop driver use the same ones. */
import type { Session } from "./state.ts";

export const afterOpen = (state: Session) => (state.error ? "finish" : "sample");

export const calledTools = (state: Session) =>
  !state.error && !state.cancelled && state.calls.length > 0 ? "execute" : "finish";

export const mayGoOn = (state: Session) =>
  state.error || state.cancelled || state.lastTurn !== null ? "finish" : "sample";
