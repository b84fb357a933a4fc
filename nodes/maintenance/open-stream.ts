/** Takes the chunks out of the state and indexes them once; from here on the state only names them. */
import { UmaError } from "../../base/errors.ts";
import type { Source } from "../../retrieval/source.ts";
import type { LiveObjects } from "../session/live-objects.ts";
import type { Maintenance, MaintenanceUpdate } from "./state.ts";

export function openStream(
  state: Pick<Maintenance, "chunks" | "sourceRef">,
  deps: { live: LiveObjects; openSource: (chunks: readonly string[]) => Source },
): MaintenanceUpdate {
  if (state.chunks.length === 0) {
    const source = deps.live.source(state.sourceRef);
    if (!source) throw new UmaError("input", "nothing to read: expected at least one chunk, got none");
    return { total: source.chunks.length };
  }
  const source = deps.openSource(state.chunks);
  return { chunks: [], sourceRef: deps.live.keepSource(source), total: source.chunks.length };
}
