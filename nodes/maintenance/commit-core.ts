/** UpdateCore (UMA §2.1): the session's plain text becomes the core, if the guard let it through, and the next chunk is up. */
import type { Maintenance, MaintenanceUpdate } from "./state.ts";

export const commitCore = (state: Maintenance): MaintenanceUpdate => ({
  core: state.session?.text ?? state.core,
  cursor: state.cursor + 1,
});

export const hasNextChunk = (state: Maintenance) => (state.cursor < state.total ? "more" : "done");
