/**
 * Reads the unread chunks of a memory, one session each, in order (UMA §2.2, phase I).
 *
 * A session that fails leaves its chunk unread, and reading goes on; after three in a row the policy is taken to be gone.
 */
import type { Variant, VariantEnv } from "../../graphs/variants/variant.ts";
import type { KeptMemory } from "../../memory/kept-memory.ts";
import type { Memory } from "../../memory/memory.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { unreadChunks } from "./plan-reading.ts";
import type { ReadingLog } from "./reading-log.ts";

export const failuresInARow = 3;

export interface ReadingResult {
  /** With what was read in the memory, and the rest still marked as unread. */
  readonly kept: KeptMemory;
  /** Chunks read by this reading, those before it was killed included. */
  readonly read: number;
  readonly failed: number;
  readonly lastFailure: string | null;
  readonly stopped: "asked" | "provider" | null;
}

export interface ReadingOptions {
  readonly variant: Variant<Memory>;
  readonly env: Omit<VariantEnv, "record">;
  readonly log: ReadingLog;
  readonly stopping: () => boolean;
  readonly onRecord: (record: SessionRecord) => void;
  readonly onProgress: (progress: { done: number; total: number; resumed: number; document: string }) => void;
}

export async function readChunks(goal: KeptMemory, options: ReadingOptions): Promise<ReadingResult> {
  const { variant, log, stopping } = options;
  const positions = unreadChunks(goal);
  const records = new Map(log.records.map((record) => [record.position, record]));
  const resumed = records.size;
  const env: VariantEnv = {
    ...options.env,
    record(record) {
      if (record.end === "cancelled") return;
      log.append(record);
      records.set(record.position, record);
      options.onRecord(record);
    },
  };
  let memory = goal.memory;
  let inARow = 0;
  let stopped: ReadingResult["stopped"] = null;
  for (const [index, k] of positions.entries()) {
    const recorded = records.get(k);
    if (recorded) memory = variant.replay(memory, recorded);
    else if (stopping()) stopped = "asked";
    else memory = await variant.memorize(memory, k, env);
    const record = records.get(k);
    if (!record) stopped = "asked"; // not begun, or cut short
    inARow = record?.error ? inARow + 1 : 0;
    if (inARow >= failuresInARow) stopped = "provider";
    if (stopped !== null) break;
    options.onProgress({ done: index + 1, total: positions.length, resumed, document: goal.chunks[k]!.document });
  }
  const failures = [...records.values()].filter((record) => record.error !== null);
  const read = new Set([...records.values()].filter((record) => record.error === null).map(({ position }) => position));
  return {
    kept: {
      ...goal,
      memory,
      chunks: goal.chunks.map(({ text, document, unread }, k) =>
        unread && !read.has(k) ? { text, document, unread } : { text, document },
      ),
    },
    read: read.size,
    failed: failures.length,
    lastFailure: failures.at(-1)?.error?.message ?? null,
    stopped,
  };
}
