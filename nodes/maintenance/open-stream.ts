/**
 * Takes the chunks out of the state and indexes them once; from here on the state only names them.
 *
 * Chunks that come to a thread which has read others before go on where it stood: the raw context grows, and the cursor
 * is at the first of the new ones, so that nothing is skipped and nothing is read twice.
 */
import { UmaError } from "../../base/errors.ts";
import type { Source } from "../../retrieval/source.ts";
import type { LiveObjects } from "../session/live-objects.ts";
import type { Maintenance, MaintenanceUpdate } from "./state.ts";

export function openStream(
  state: Pick<Maintenance, "chunks" | "sourceRef" | "cursor">,
  deps: { live: LiveObjects; openSource: (chunks: readonly string[]) => Source },
): MaintenanceUpdate {
  const before = deps.live.source(state.sourceRef);
  if (state.chunks.length === 0) {
    if (!before) throw new UmaError("input", "nothing to read: expected at least one chunk, got none");
    return { total: before.chunks.length };
  }
  const read = before?.chunks ?? [];
  const source = deps.openSource([...read, ...state.chunks]);
  return {
    chunks: [],
    sourceRef: deps.live.keepSource(source),
    total: source.chunks.length,
    ...(before && { cursor: Math.max(state.cursor, read.length) }),
  };
}
