/** What graphs need beyond a session's dependencies: how a stream becomes an indexed source. */
import type { SessionDeps } from "../nodes/session/deps.ts";
import type { Source } from "../retrieval/source.ts";

export interface GraphDeps extends SessionDeps {
  readonly openSource: (chunks: readonly string[]) => Source;
}
