/**
 * Documents into a kept memory: first what a killed run has left, then what is unread or new; each is saved when it ends.
 */
import { UmaError } from "../../base/errors.ts";
import type { Variant } from "../../graphs/variants/variant.ts";
import type { Document } from "../../memory/ingest/document.ts";
import { emptyKeptMemory, type KeptMemory, keptMemoryCodec } from "../../memory/kept-memory.ts";
import type { Memory } from "../../memory/memory.ts";
import type { MemoryKey, MemoryStore } from "../../memory/store/memory-store.ts";
import type { Prompts } from "../../nodes/prompts/prompts.ts";
import type { SessionLimits } from "../../nodes/session/limits.ts";
import type { Policy } from "../../policies/policy.ts";
import { createSource } from "../../retrieval/source.ts";
import type { Toolset } from "../../tools/toolsets.ts";
import { loadKept } from "../store-flags.ts";
import { type Plan, planReading, unreadChunks, withPlan } from "./plan-reading.ts";
import { type ReadingOptions, type ReadingResult, readChunks } from "./read-chunks.ts";
import type { ReadingPlace } from "./reading-log.ts";

export interface MemorizeOptions extends Pick<ReadingOptions, "stopping" | "onRecord" | "onProgress"> {
  readonly store: MemoryStore;
  readonly key: MemoryKey;
  readonly place: ReadingPlace;
  readonly variant: Variant<Memory>;
  readonly policy: Policy;
  readonly session: {
    readonly toolset: Toolset;
    readonly prompts: Prompts;
    readonly limits: SessionLimits;
    readonly seed: number;
  };
  /** Longest chunk, in tokens of the policy. */
  readonly chunkTokens: number;
  readonly signal: AbortSignal;
  readonly note: (text: string) => void;
}

export interface Memorized extends Omit<ReadingResult, "kept"> {
  /** The memory as it is kept now. */
  readonly kept: KeptMemory;
  /** 0 when there is no such memory. */
  readonly version: number;
  /** Names of the documents that chunks were read from, in order, repeated. */
  readonly documents: readonly string[];
}

export async function memorizeDocuments(documents: readonly Document[], options: MemorizeOptions): Promise<Memorized> {
  const { place, policy, note } = options;
  const cut = { maxTokens: options.chunkTokens, countTokens: policy.countTokens };
  const before = current(options);
  const left = place.unfinished(before.version);
  if (left) note(`going on with an unfinished reading of ${left.chunks.length} chunks`);
  const first = left ? await carryOut(left, before, options) : null;
  if (first && first.stopped !== null) return first;

  const { kept, version } = current(options);
  const { plan, copies } = planReading(kept, version, documents, cut);
  const fresh = new Set(plan.documents.map(({ name }) => name));
  for (const { name, notes } of documents) if (fresh.has(name)) for (const text of notes) note(`${name}: ${text}`);
  for (const { name, of } of copies) note(`left out ${name}: a copy of ${of}, which is read already`);
  const waiting = unreadChunks(kept).length;
  if (waiting > 0 && !first)
    note(`${waiting === 1 ? "one chunk was" : `${waiting} chunks were`} left unread; read first`);
  if (plan.chunks.length === 0 && (waiting === 0 || first))
    return first ?? { kept, version, read: 0, failed: 0, lastFailure: null, stopped: null, documents: [] };
  const second = await carryOut(plan, { kept, version }, options);
  return first ? together(first, second) : second;
}

interface Current {
  readonly kept: KeptMemory;
  readonly version: number;
}

const current = ({ store, key }: MemorizeOptions): Current =>
  loadKept(store, key) ?? { kept: emptyKeptMemory, version: 0 };

async function carryOut(plan: Plan, before: Current, options: MemorizeOptions): Promise<Memorized> {
  const { store, key, policy, variant, session, signal } = options;
  const goal = withPlan(before.kept, plan);
  const log = options.place.open(plan);
  const result = await readChunks(goal, {
    variant,
    log,
    stopping: options.stopping,
    onRecord: options.onRecord,
    onProgress: options.onProgress,
    env: {
      ...session,
      policy,
      source: createSource(goal.chunks.map(({ text }) => text)),
      run: "memorize",
      context: [...key.namespace, key.id].join("/"),
      trajectory: 0,
      signal,
    },
  }).finally(log.close);
  const { kept, read } = result;
  if (read === 0) {
    // nothing has changed: the next run plans anew
    log.discard();
    return { ...result, ...before, documents: [] };
  }
  const note = `${policy.name}: ${read} of ${unreadChunks(goal).length} chunks`;
  const version = save(store, key, { kept, note, expectedVersion: before.version });
  log.discard();
  const documents = goal.chunks.flatMap((chunk, k) =>
    chunk.unread && !kept.chunks[k]!.unread ? [chunk.document] : [],
  );
  return { ...result, version, documents };
}

function save(
  store: MemoryStore,
  key: MemoryKey,
  { kept, note, expectedVersion }: { kept: KeptMemory; note: string; expectedVersion: number },
): number {
  try {
    return store.save(key, { bytes: keptMemoryCodec.encode(kept), codec: keptMemoryCodec, note }, { expectedVersion });
  } catch (thrown) {
    if (!(thrown instanceof UmaError) || thrown.code !== "conflict") throw thrown;
    throw new UmaError("conflict", `memory "${key.id}" was changed by another program while it was being read into`, {
      fix: "run the same command again: it reads into the memory as it is now",
      cause: thrown,
    });
  }
}

const together = (first: Memorized, second: Memorized): Memorized => ({
  ...second,
  read: first.read + second.read,
  failed: first.failed + second.failed,
  lastFailure: second.lastFailure ?? first.lastFailure,
  documents: [...first.documents, ...second.documents],
});
