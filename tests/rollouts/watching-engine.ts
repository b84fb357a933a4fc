/**
 * A session engine without sessions: it takes a random while for each, and notes whatever no engine should be asked for.
 *
 * A memory is the list of the session ids that it was made by, so every job says what it must be.
 */
import { setImmediate } from "node:timers/promises";
import type { Rng } from "../../base/rng.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { memorySessionId, type RolloutContext } from "../../rollouts/rollout-context.ts";
import type { AnswerJob, DeliverRecord, MemoryJob, SessionEngine } from "../../rollouts/session-engine.ts";
import { aRecord, providerError } from "./a-record.ts";

type Memory = readonly string[];

export interface Watched {
  readonly engine: SessionEngine<Memory>;
  /** Ids in the order in which their sessions were begun. */
  readonly begun: string[];
  /** Memory spans that wrote no records, of variants that keep no memory. */
  readonly silent: string[];
  readonly released: string[];
  readonly wrong: string[];
  readonly mostAtOnce: () => number;
}

export interface WatchOptions {
  readonly stride: "session" | "span";
  readonly keepsMemory: boolean;
  readonly random: Rng;
  readonly fails: (id: string) => boolean;
  /** As a halt's: sessions that end after it are no result. */
  readonly signal: AbortSignal;
  readonly stopping: () => boolean;
}

export function watchingEngine(options: WatchOptions): Watched {
  const { stride, keepsMemory, random, fails, signal } = options;
  const begun: string[] = [];
  const silent: string[] = [];
  const released: string[] = [];
  const wrong: string[] = [];
  const reading = new Set<string>();
  let running = 0;
  let most = 0;
  const check = (right: boolean, what: string) => right || wrong.push(what);
  const work = async () => {
    for (let waits = random.int(0, 4); waits > 0; waits--) await setImmediate();
  };
  const job = async <Result>(context: RolloutContext, run: () => Promise<Result>): Promise<Result> => {
    check(!released.includes(context.id), `${context.id} had been released`);
    most = Math.max(most, ++running);
    try {
      return await run();
    } finally {
      running--;
    }
  };
  /** Of the sessions that went well: a failed one leaves the memory as it was. */
  const memoryAfter = (context: string, i: number, k: number): Memory =>
    Array.from({ length: k + 1 }, (_, at) => memorySessionId(context, i, at)).filter((id) => !fails(id));

  const memorize = async (given: MemoryJob<Memory>, deliver: DeliverRecord) => {
    const { context, trajectory, from, to } = given;
    const key = `${context.id}/t${trajectory}`;
    check(!reading.has(key), `${key}: two sessions at once`);
    check(from < to && to <= context.chunks.length, `${key}: chunks ${from} to ${to}`);
    if (stride === "session" && keepsMemory) check(to === from + 1, `${key}: ${to - from} sessions in one job`);
    reading.add(key);
    let memory = given.memory;
    let reached = from;
    for (; reached < to; reached++) {
      if (signal.aborted || (reached > from && options.stopping())) break;
      const record = recordOf(context.id, trajectory, reached);
      const parent = keepsMemory && reached > 0 ? memorySessionId(context.id, trajectory, reached - 1) : null;
      if (reached === from) check(given.parent === parent, `${record.id}: parent ${given.parent}`);
      check(same(memory, memoryAfter(context.id, trajectory, reached - 1)), `${record.id}: memory ${memory}`);
      (keepsMemory ? begun : silent).push(record.id);
      await work();
      if (signal.aborted) break;
      if (!fails(record.id)) memory = [...memory, record.id];
      if (keepsMemory) await deliver(record);
    }
    reading.delete(key);
    return { memory, reached };
  };
  const recordOf = (context: string, trajectory: number, position: number, question: string | null = null) => {
    const record = aRecord({ context, trajectory, position, question });
    return fails(record.id) ? { ...record, end: "error" as const, error: providerError } : record;
  };
  const answer = async (given: AnswerJob<Memory>, deliver: DeliverRecord) => {
    const { context, trajectory, question, memory, parent } = given;
    const record = recordOf(context.id, trajectory, question.position, question.id);
    begun.push(record.id);
    const last = keepsMemory ? memorySessionId(context.id, trajectory, question.position) : null;
    check(parent === last, `${record.id}: parent ${parent}`);
    check(same(memory, memoryAfter(context.id, trajectory, question.position)), `${record.id}: memory ${memory}`);
    await work();
    if (!signal.aborted) await deliver(record);
  };
  return {
    engine: {
      stride,
      begin: () => [],
      replay: (memory: Memory, records: readonly SessionRecord[]) => [
        ...memory,
        ...records.filter(({ error }) => error === null).map(({ id }) => id),
      ],
      memorize: (given, deliver) => job(given.context, () => memorize(given, deliver)),
      answer: (given, deliver) => job(given.context, () => answer(given, deliver)),
      release: ({ id }) => void released.push(id),
      close: async () => {},
    },
    ...{ begun, silent, released, wrong },
    mostAtOnce: () => most,
  };
}

const same = (one: Memory, other: Memory) => one.join() === other.join();
