/** Sessions on this thread: right for policies that wait for a server, and the reference for the pool. */
import type { Source } from "../retrieval/source.ts";
import type { RolloutContext } from "./rollout-context.ts";
import { answerQuestion, memorizeChunks, type SessionParts, type SessionPlace } from "./run-session-jobs.ts";
import type { SessionEngine } from "./session-engine.ts";

export interface MainThreadOptions<Memory> extends SessionParts<Memory> {
  readonly openSource: (chunks: readonly string[]) => Source;
}

/** Handles are the memories themselves. */
export function mainThreadEngine<Memory>(options: MainThreadOptions<Memory>): SessionEngine<Memory> {
  const { variant, openSource } = options;
  const sources = new Map<string, Source>();
  const sourceOf = ({ id, chunks }: RolloutContext): Source => {
    const source = sources.get(id) ?? openSource(chunks);
    sources.set(id, source);
    return source;
  };
  const placeOf = (job: { context: RolloutContext; trajectory: number; parent: string | null }): SessionPlace => ({
    context: job.context.id,
    trajectory: job.trajectory,
    parent: job.parent,
    source: sourceOf(job.context),
  });
  return {
    stride: "session",
    begin: () => variant.begin(),
    replay: (memory, records) => records.reduce((before, record) => variant.replay(before, record), memory),
    memorize: (job, deliver) => memorizeChunks(options, placeOf(job), job.memory, job, deliver),
    answer: (job, deliver) => answerQuestion(options, placeOf(job), job.memory, job.question, deliver),
    release: ({ id }) => void sources.delete(id),
    close: async () => {},
  };
}
