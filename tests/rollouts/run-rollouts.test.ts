import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rng } from "../../base/rng.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { drawQuestions } from "../../rollouts/draw-questions.ts";
import { createHalt, type Halt } from "../../rollouts/halt.ts";
import { answerSessionId, memorySessionId, type RolloutContext } from "../../rollouts/rollout-context.ts";
import { runRollouts } from "../../rollouts/run-rollouts.ts";
import { type Watched, watchingEngine } from "./watching-engine.ts";

interface Case {
  readonly contexts: readonly RolloutContext[];
  readonly G: number;
  readonly M: number | null;
  readonly concurrency: number;
  readonly stride: "session" | "span";
  readonly keepsMemory: boolean;
  readonly seed: number;
  /** Share of the sessions that fail. */
  readonly failing: number;
}

const contextOf = (id: string, N: number, positions: readonly number[]): RolloutContext => ({
  id,
  chunks: Array.from({ length: N }, (_, k) => `chunk ${k}`),
  questions: positions.map((position, j) => ({ id: `${j}`, text: "?", position })),
});

const anyContext = fc
  .record({ N: fc.integer({ min: 1, max: 5 }), positions: fc.array(fc.nat(), { minLength: 1, maxLength: 6 }) })
  .map(({ N, positions }) => ({ N, positions: positions.map((position) => position % N) }));

const anyCase: fc.Arbitrary<Case> = fc
  .record({
    contexts: fc.array(anyContext, { minLength: 1, maxLength: 5 }),
    G: fc.integer({ min: 1, max: 4 }),
    M: fc.option(fc.integer({ min: 1, max: 6 })),
    concurrency: fc.integer({ min: 1, max: 7 }),
    stride: fc.constantFrom("session" as const, "span" as const),
    keepsMemory: fc.boolean(),
    seed: fc.nat(),
    failing: fc.constantFrom(0, 0.3),
  })
  .map(({ contexts, M, ...rest }) => ({
    ...rest,
    M: M === null ? null : Math.min(M, ...contexts.map(({ positions }) => positions.length)),
    contexts: contexts.map(({ N, positions }, c) => contextOf(`c${c}`, N, positions)),
  }));

function sessionsOf({ contexts, G, M, keepsMemory, seed }: Case): string[] {
  return contexts.flatMap((context) =>
    Array.from({ length: G }, (_, i) => [
      ...(keepsMemory ? context.chunks.map((_chunk, k) => memorySessionId(context.id, i, k)) : []),
      ...drawQuestions(context, M, seed).map(({ id }) => answerSessionId(context.id, i, id)),
    ]).flat(),
  );
}

interface Ran {
  readonly watched: Watched;
  readonly halt: Halt;
  readonly unfinished: number;
  readonly announced: number;
}

/** Runs what is not in `log` yet, and writes it there. */
async function runInto(
  log: Map<string, SessionRecord>,
  given: Case,
  options: { stopAfter?: number; cutAfter?: number; breakAfter?: number } = {},
): Promise<Ran> {
  const controller = new AbortController();
  const before = log.size;
  const halt = createHalt({
    stopping: () => log.size - before >= (options.stopAfter ?? Number.POSITIVE_INFINITY),
    signal: controller.signal,
  });
  const watched = watchingEngine({
    ...{ stride: given.stride, keepsMemory: given.keepsMemory, random: rng(given.seed, "waits", before) },
    fails: (id) => rng(given.seed, "fails", id).next() < given.failing,
    ...{ signal: halt.signal, stopping: halt.stopping },
  });
  const waiting = [...given.contexts];
  let asking = false;
  let announced = 0;
  const { unfinished } = await runRollouts({
    ...{ engine: watched.engine, G: given.G, M: given.M, seed: given.seed, halt },
    ...{ concurrency: given.concurrency, keepsMemory: given.keepsMemory },
    async next() {
      if (asking) watched.wrong.push("asked for two contexts at once");
      asking = true;
      await Promise.resolve();
      asking = false;
      // a source may be slow to hear of a stop, and one that ends knows it
      return waiting.shift() ?? null;
    },
    finished: (id) => log.get(id),
    record(record) {
      if (log.size - before === options.breakAfter) throw new Error("the disk is full");
      if (log.has(record.id)) watched.wrong.push(`${record.id} was recorded twice`);
      log.set(record.id, record);
      if (log.size - before === options.cutAfter) controller.abort();
    },
    onContext: (_, sessions) => {
      announced += sessions;
    },
  });
  expect(watched.wrong).toEqual([]);
  expect(watched.mostAtOnce()).toBeLessThanOrEqual(given.concurrency);
  return { watched, halt, unfinished, announced };
}

describe("a rollout", () => {
  it("runs every session once, on the memory it belongs to, never two of a trajectory at once, under the limit", async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async (given) => {
        const log = new Map<string, SessionRecord>();
        const { watched, unfinished, announced } = await runInto(log, given);
        const all = sessionsOf(given);
        expect([...watched.begun].sort()).toEqual([...all].sort());
        expect([...log.keys()].sort()).toEqual([...all].sort());
        expect({ unfinished, announced }).toEqual({ unfinished: 0, announced: all.length });
        expect([...watched.released].sort()).toEqual(given.contexts.map(({ id }) => id));
      }),
      { numRuns: 80 },
    );
  });

  it("runs nothing of a finished set again, and gives the rest the same memories", async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, fc.nat(), async (given, keep) => {
        const whole = new Map<string, SessionRecord>();
        await runInto(whole, given);
        // any set that a run can have left: with each session also the memory that it was of
        const log = new Map<string, SessionRecord>();
        const draw = rng(keep, "finished").next();
        for (const [id, record] of whole) {
          const { context, trajectory, position, stage } = record;
          const needs = stage === "qa" ? position : position - 1;
          const there = !given.keepsMemory || needs < 0 || log.has(memorySessionId(context, trajectory, needs));
          if (there && rng(keep, id).next() < draw) log.set(id, record);
        }
        const kept = [...log.keys()];
        const { watched, unfinished } = await runInto(log, given);
        expect(watched.begun.filter((id) => kept.includes(id))).toEqual([]);
        expect([...log.keys()].sort()).toEqual([...whole.keys()].sort());
        expect(unfinished).toBe(0);
      }),
      { numRuns: 80 },
    );
  });

  it("that is complete is left alone: nothing is read or asked again", async () => {
    await fc.assert(
      fc.asyncProperty(anyCase, async (given) => {
        const log = new Map<string, SessionRecord>();
        await runInto(log, given);
        const { watched } = await runInto(log, given);
        expect({ begun: watched.begun, silent: watched.silent }).toEqual({ begun: [], silent: [] });
      }),
      { numRuns: 60 },
    );
  });

  it.each(["stopAfter", "cutAfter", "breakAfter"] as const)(
    "goes on after %s at any moment, with no session lost, repeated or half recorded",
    async (how) => {
      await fc.assert(
        fc.asyncProperty(anyCase, fc.array(fc.integer({ min: 0, max: 8 }), { maxLength: 4 }), async (given, stops) => {
          const log = new Map<string, SessionRecord>();
          const all = sessionsOf(given);
          for (const stop of stops) {
            const before = log.size;
            const { halt, unfinished } = await runInto(log, given, { [how]: stop });
            if (how === "stopAfter") expect(log.size - before).toBeLessThan(stop + given.concurrency);
            if (log.size < all.length && how !== "breakAfter" && halt.reason() !== null)
              expect(halt.reason()).toBe("asked");
            if (how === "breakAfter" && log.size < all.length) expect(halt.rethrow).toThrow("the disk is full");
            if (log.size === all.length) expect(unfinished).toBe(0);
          }
          const { unfinished } = await runInto(log, given);
          expect(unfinished).toBe(0);
          expect([...log.keys()].sort()).toEqual([...all].sort());
        }),
        { numRuns: 80 },
      );
    },
  );

  it("begins no session after a cut, and none more than the limit after a stop", async () => {
    const given = {
      ...{ contexts: [contextOf("a", 4, [3, 3]), contextOf("b", 4, [3, 3])], G: 3, M: null, concurrency: 3 },
      ...{ stride: "session" as const, keepsMemory: true, seed: 1, failing: 0 },
    };
    const cut = await runInto(new Map(), given, { cutAfter: 4 });
    expect(cut.watched.begun.length).toBeLessThanOrEqual(4 + 3);
    const stopped = await runInto(new Map(), given, { stopAfter: 4 });
    expect(stopped.watched.begun.length).toBeLessThanOrEqual(4 + 2);
    expect(stopped.unfinished).toBeGreaterThan(0);
  });
});

describe("the order of sessions", () => {
  const one = { G: 2, M: null, concurrency: 1, keepsMemory: true, seed: 1, failing: 0 };

  it("is longest remaining trajectory first, so trajectories go side by side and questions come when they are ready", async () => {
    const contexts = [contextOf("a", 2, [1]), contextOf("b", 1, [0, 0])];
    const { watched } = await runInto(new Map(), { ...one, contexts, stride: "session" });
    expect(watched.begun).toEqual([
      ...["a/t0/m0", "a/t1/m0", "a/t0/m1", "a/t1/m1", "a/t0/q0", "a/t1/q0"],
      ...["b/t0/m0", "b/t1/m0", "b/t0/q0", "b/t0/q1", "b/t1/q0", "b/t1/q1"],
    ]);
  });

  it("starts a question as soon as its memory is final when there is room, not after all memories", async () => {
    const contexts = [contextOf("a", 6, [0, 5])];
    const { watched } = await runInto(new Map(), { ...one, concurrency: 4, contexts, stride: "session" });
    for (const i of [0, 1])
      expect(watched.begun.indexOf(`a/t${i}/q0`)).toBeLessThan(watched.begun.indexOf(`a/t${i}/m2`));
  });

  it("opens the next context only when nothing else is ready", async () => {
    const contexts = [contextOf("a", 3, [2, 2, 2]), contextOf("b", 3, [2])];
    const narrow = await runInto(new Map(), { ...one, concurrency: 2, contexts, stride: "session" });
    const { begun } = narrow.watched;
    // a place is free for it only when a whole trajectory, and all its questions, are done
    expect(begun.findIndex((id) => id.startsWith("b/"))).toBeGreaterThan(3 + 3);
    const wide = await runInto(new Map(), { ...one, concurrency: 4, contexts, stride: "session" });
    expect(wide.watched.begun.slice(0, 4).sort()).toEqual(["a/t0/m0", "a/t1/m0", "b/t0/m0", "b/t1/m0"]);
  });
});
