/**
 * The library's front door: a variant with a policy, reading streams into memories and answering from them.
 *
 *     const agent = createAgent(await loadVariant("uma"), { policy });
 *     const kept = await agent.memorize(chunks);                 // a value: keep it, branch it, serialise it
 *     const { answer } = await agent.answer(kept, "What did Ada say about Lisbon?");
 *     const later = await agent.memorize(more, kept);            // `kept` stays as it was
 *     const bytes = agent.variant.codec.encode(later.memory);
 */
import { UmaError } from "../base/errors.ts";
import { contentHash } from "../base/hash.ts";
import { loadPrompts, type Prompts } from "../nodes/prompts/prompts.ts";
import { SessionLimits } from "../nodes/session/limits.ts";
import type { SessionRecord } from "../nodes/session/record.ts";
import type { Policy } from "../policies/policy.ts";
import { createSource, extendSource, type Source, type SourceOptions } from "../retrieval/source.ts";
import { type Toolset, toolsets } from "../tools/toolsets.ts";
import { createAgentGraph } from "./agent.ts";
import type { CompileOptions } from "./compile-options.ts";
import { graphDeps } from "./default-deps.ts";
import type { Variant, VariantEnv } from "./variants/variant.ts";

export interface AgentOptions {
  readonly policy: Policy;
  readonly toolset?: Toolset;
  readonly prompts?: Prompts;
  readonly limits?: Partial<SessionLimits>;
  /** Every session samples from seeds derived from this one. */
  readonly seed?: number;
  /** Names the stream in records and lineage. */
  readonly context?: string;
  /** Called once per session, also for those that failed. */
  readonly onRecord?: (record: SessionRecord) => void;
  /** How raw context is indexed: analyser, embedder, caches. */
  readonly source?: SourceOptions;
}

export interface Kept<Memory> {
  readonly memory: Memory;
  /** The raw context that was read, with its indexes. */
  readonly source: Source;
}

export interface Memorized<Memory> extends Kept<Memory> {
  /** One per session of this call. A session that failed left the memory as it was; its record says why. */
  readonly records: readonly SessionRecord[];
}

export interface AgentQuestion {
  /** Names the session in the record; by default made from the text. */
  readonly id?: string;
  readonly text: string;
  /** 0-based: the last chunk that may be shown; by default the last one there is. */
  readonly position?: number;
}

export interface Answered {
  /** Null when the session gave no acceptable answer; the record says why. */
  readonly answer: string | null;
  readonly record: SessionRecord;
}

export interface Agent<Memory = unknown> {
  readonly variant: Variant<Memory>;
  /** Reads the chunks in order, after what `from` has read, if it is given. */
  memorize(chunks: readonly string[], from?: Partial<Kept<Memory>>, run?: RunOptions): Promise<Memorized<Memory>>;
  answer(kept: Kept<Memory>, question: string | AgentQuestion, run?: RunOptions): Promise<Answered>;
  /** The same agent as a LangGraph graph: chunks and questions in, answers out. */
  graph(options?: CompileOptions): ReturnType<typeof createAgentGraph>;
}

export interface RunOptions {
  readonly signal?: AbortSignal;
}

export function createAgent<Memory>(variant: Variant<Memory>, options: AgentOptions): Agent<Memory> {
  const { policy, toolset = toolsets.paper, prompts = loadPrompts(), seed = 0, context = "context" } = options;
  const limits = SessionLimits.parse(options.limits ?? {});
  const env = (source: Source, record: VariantEnv["record"], run: RunOptions): VariantEnv => ({
    policy,
    source,
    toolset,
    prompts,
    limits,
    run: "agent",
    context,
    trajectory: 0,
    seed,
    record(session) {
      options.onRecord?.(session);
      record(session);
    },
    ...(run.signal && { signal: run.signal }),
  });

  return {
    variant,
    async memorize(chunks, from = {}, run = {}) {
      const source = from.source ? extendSource(from.source, chunks) : createSource(chunks, options.source);
      const records: SessionRecord[] = [];
      const environment = env(source, (record) => records.push(record), run);
      let memory = from.memory ?? variant.begin();
      for (let k = from.source?.chunks.length ?? 0; k < source.chunks.length; k++) {
        throwIfCancelled(run.signal);
        memory = await variant.memorize(memory, k, environment);
      }
      throwIfCancelled(run.signal);
      return { memory, source, records };
    },
    async answer({ memory, source }, asked, run = {}) {
      throwIfCancelled(run.signal);
      const {
        text,
        id = contentHash(text),
        position = source.chunks.length - 1,
      }: AgentQuestion = typeof asked === "string" ? { text: asked } : asked;
      const records: SessionRecord[] = [];
      const question = { id, text, position };
      const answer = await variant.answer(
        memory,
        question,
        env(source, (record) => records.push(record), run),
      );
      throwIfCancelled(run.signal);
      return { answer, record: records.at(-1)! };
    },
    graph(compileOptions) {
      const { onRecord: record, source } = options;
      const deps = graphDeps({
        policy,
        toolset,
        prompts,
        limits,
        openSource: (chunks) => createSource(chunks, source),
        ...(record && { record }),
      });
      return createAgentGraph(variant.phases(deps), compileOptions);
    },
  };
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new UmaError("cancelled", "the agent was stopped", { cause: signal.reason });
}
