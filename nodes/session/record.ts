/**
 * The session record: the only thing that leaves a session (algorithms A.21.8, contracts §6).
 *
 * Rewards, credit rules, metrics, reports and erasure read records and nothing else, so whatever one of them needs has to
 * be here. Times and latencies aside, one seed gives the same record whatever driver or concurrency made it.
 */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { CallVerdict } from "../../tools/call.ts";
import { migrateRecord } from "./migrate-record.ts";
import { RecordedTrace } from "./recorded-trace.ts";

export const RECORD_VERSION = 2;

export const Stage = z.enum(["memory", "qa"]);
export type Stage = z.infer<typeof Stage>;

/** `text` plain text · `budget`, `turns` the limits ran out without one · `error` see `error` · `cancelled` the user stopped it. */
export const SessionEnd = z.enum(["text", "budget", "turns", "error", "cancelled"]);
export type SessionEnd = z.infer<typeof SessionEnd>;

export const SessionError = z.object({
  /** Which part failed; `worker` is the thread that the session ran in. */
  boundary: z.enum(["policy", "tool", "budget", "worker"]),
  code: z.string(),
  message: z.string(),
});
export type SessionError = z.infer<typeof SessionError>;

/** Why the provider ended a reply before the model did. */
export const CutReason = z.enum(["length", "content_filter"]);

const TitledText = z.object({ title: z.string(), content: z.string() });
const WriterRecord = z.object({ chunk: z.int().nullable(), session: z.string() });

export const WriteRecord = z.object({
  /** Stable entry id; titles may change. */
  entry: z.string(),
  version: z.int(),
  op: z.enum(["add", "update", "delete"]),
  before: TitledText.nullable(),
  after: TitledText.nullable(),
  /** Of title and content, so that equal texts are found without comparing them. */
  hash: z.object({ before: z.string().nullable(), after: z.string().nullable() }),
  /**
   * Who created the entry, and who wrote the version that this write replaced (null for an add): following `previous` from
   * write to write gives the whole history. Null in migrated logs.
   */
  lineage: z.object({ origin: WriterRecord, previous: WriterRecord.nullable() }).nullable(),
  /** 0-based chunk that was being read; null when written by hand. */
  chunk: z.int().nullable(),
});

export const ReadRecord = z.object({
  kind: z.enum(["entry", "sub-chunk"]),
  id: z.string(),
  /** 1-based. */
  rank: z.int(),
  score: z.number().nullable(),
  span: z.object({ chunk: z.int(), start: z.int(), end: z.int() }).optional(),
});

export const CallRecord = z.object({
  /** 0-based turn in which the call was made. */
  turn: z.int(),
  id: z.string(),
  name: z.string(),
  args: z.record(z.string(), z.unknown()).nullable(),
  verdict: CallVerdict,
  repaired: z.boolean(),
  observation: z.string(),
  tokens: z.int(),
  ms: z.number(),
  writes: z.array(WriteRecord),
  reads: z.array(ReadRecord),
});
export type CallRecord = z.infer<typeof CallRecord>;

export const MessageRecord = z.object({
  role: z.enum(["system", "user", "assistant", "tool"]),
  text: z.string(),
  calls: z
    .array(z.object({ id: z.string(), name: z.string(), args: z.record(z.string(), z.unknown()).nullable() }))
    .optional(),
  callId: z.string().optional(),
});
export type MessageRecord = z.infer<typeof MessageRecord>;

export const SessionRecord = z.object({
  v: z.literal(RECORD_VERSION),
  /** `<context>/t<trajectory>/m<chunk>` or `…/q<question>`, unique within a run. */
  id: z.string(),
  run: z.string(),
  context: z.string(),
  /** i, 0-based. */
  trajectory: z.int(),
  stage: Stage,
  /** k for memory sessions: 0-based chunk. For QA sessions the last chunk in memory. */
  position: z.int(),
  /** QA only. */
  question: z.string().nullable(),
  /** The memory session whose memory this one started from; null for the empty memory, and in migrated logs. */
  parent: z.string().nullable(),
  seed: z.int(),
  attempt: z.int(),
  variant: z.string(),
  toolset: z.string(),
  policy: z.object({ name: z.string(), scripted: z.boolean(), weights: z.string().nullable() }),
  /** Hash of the prompt templates, not of what was filled in. */
  prompt: z.string(),
  budget: z.object({ prompt: z.int(), interaction: z.int(), turns: z.int(), calls: z.int() }),
  /** Characters cut from the left of each part to meet the prompt budget. */
  truncated: z.object({ core: z.int(), focus: z.int(), context: z.int() }),
  messages: z.array(MessageRecord),
  /** What was sampled, token by token; null unless the policy is token-exact. Never made from text. */
  trace: RecordedTrace.nullable(),
  calls: z.array(CallRecord),
  /** Sub-chunks that the variant itself put into the prompt (RAG); reads by tools are on the calls. */
  given: z.array(ReadRecord),
  /** Phase I: what became of the core. */
  core: z
    .object({ before: z.string(), after: z.string(), committed: z.boolean(), kept: z.string().nullable() })
    .nullable(),
  /** Phase II: null when the session ended without an acceptable text. */
  answer: z.string().nullable(),
  end: SessionEnd,
  /** Whether the text that ended the session was cut: such a text is never the core, but still the answer. */
  cut: CutReason.nullable().default(null),
  /** Why the last turn was sampled without tools, if it was. */
  lastTurn: z.enum(["budget", "turns"]).nullable(),
  error: SessionError.nullable(),
  turns: z.int(),
  tokens: z.object({
    /** The initial prompt, by the policy's counter. */
    prompt: z.int(),
    /** All that was sampled. */
    completion: z.int(),
    /** Everything after the initial prompt: samples, observations, notices. */
    interaction: z.int(),
    /** Sum over turns of what the provider counted, or null. */
    provider: z.object({ prompt: z.int(), completion: z.int() }).nullable(),
  }),
  started: z.string(),
  ms: z.number(),
});
export type SessionRecord = z.infer<typeof SessionRecord>;

/** Reads one record of a log. An older schema version is migrated, an unknown one refused with a reason. */
export function parseRecord(value: unknown): SessionRecord {
  const migrated = migrateRecord(value);
  const version = (migrated as { v?: unknown } | null)?.v;
  if (version !== RECORD_VERSION) {
    throw new UmaError(
      "input",
      `a session record of schema version ${String(version)}; this umagraph reads 1 to ${RECORD_VERSION}`,
      {
        fix: "open the run with the umagraph version that wrote it (config.json names it)",
      },
    );
  }
  const parsed = SessionRecord.safeParse(migrated);
  if (!parsed.success) throw new UmaError("input", `not a session record: ${z.prettifyError(parsed.error)}`);
  return parsed.data;
}

/** The record without what differs between two equal runs: wall times. */
export function withoutTimes(record: SessionRecord): SessionRecord {
  return { ...record, started: "", ms: 0, calls: record.calls.map((call) => ({ ...call, ms: 0 })) };
}
