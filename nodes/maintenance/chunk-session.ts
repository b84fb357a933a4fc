/** One memory session: what it is given of phase I's state, and what it gives back. */

import { sessionId } from "../session/identity.ts";
import type { LiveObjects } from "../session/live-objects.ts";
import type { Session, SessionUpdate } from "../session/state.ts";
import type { Maintenance, MaintenanceUpdate } from "./state.ts";

export function openChunk(state: Maintenance, live: LiveObjects): SessionUpdate {
  return {
    stage: "memory",
    core: state.core,
    focus: live.source(state.sourceRef)!.chunks[state.cursor]!,
    position: state.cursor,
    memoryRef: state.memoryRef,
    sourceRef: state.sourceRef,
    identity: { ...state.identity, parent: state.parent ?? state.identity.parent },
  };
}

export const closeChunk = (session: Session): MaintenanceUpdate => ({
  memoryRef: session.memoryRef,
  session: session.outcome,
  parent: sessionId(session),
});
