import { setImmediate } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { EvalContext } from "../../evals/benchmark.ts";
import { loadBenchmark } from "../../evals/benchmarks/index.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { createSource } from "../../retrieval/source.ts";
import type { RolloutContext } from "../../rollouts/rollout-context.ts";
import { type SampleRolloutsOptions, sampleRollouts } from "../../rollouts/sample-rollouts.ts";
import { toolsets } from "../../tools/toolsets.ts";
import { wordKeeper, wordsBenchmark } from "../evals/invented-benchmark.ts";
import { normalised } from "../evals/run-words.ts";

async function collected<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

const words = (config: object = {}) =>
  wordsBenchmark.load({ contexts: 2, chunks: 3, word: "word", leaveOut: null, ...config });
const options = (more: Partial<SampleRolloutsOptions> = {}): SampleRolloutsOptions => ({
  ...{ G: 2, policy: wordKeeper(), seed: 5, concurrency: 4 },
  ...more,
});

/** Contexts that say when they are taken, and whether somebody let go of them. */
function watchedContexts(given: readonly RolloutContext[]) {
  const seen = { taken: 0, closed: false };
  async function* contexts() {
    try {
      for (const context of given) {
        seen.taken++;
        yield context;
      }
    } finally {
      seen.closed = true;
    }
  }
  return { contexts: contexts(), seen };
}

/** Waits until nothing is asked any more. */
async function quiet(policy: { readonly asked: readonly string[] }): Promise<number> {
  for (let before = -1; before !== policy.asked.length; ) {
    before = policy.asked.length;
    for (let waits = 0; waits < 50; waits++) await setImmediate();
  }
  return policy.asked.length;
}

describe("a stream of rollouts", () => {
  it("gives every session of every trajectory once, each after the one whose memory it started from", async () => {
    const records = await collected(sampleRollouts(words(), options()));
    expect(records).toHaveLength(2 * 2 * (3 + 4));
    const seen = new Set<string>();
    for (const record of records) {
      expect(seen.has(record.id)).toBe(false);
      if (record.parent !== null) expect(seen.has(record.parent)).toBe(true);
      seen.add(record.id);
      expect(record).toMatchObject({ run: "rollout", seed: 5, error: null, end: "text" });
    }
  });

  it("is the same for any concurrency, and asks all trajectories the same M questions", async () => {
    const [one, many] = await Promise.all(
      [1, 16].map((concurrency) => collected(sampleRollouts(words(), options({ M: 2, G: 3, concurrency })))),
    );
    expect(normalised(many!)).toEqual(normalised(one!));
    const asked = (context: string, i: number) =>
      one!
        .filter((r) => r.stage === "qa" && r.context === context && r.trajectory === i)
        .map((r) => r.question)
        .sort();
    for (const context of ["c0", "c1"]) {
      expect(asked(context, 0)).toHaveLength(2);
      for (const i of [1, 2]) expect(asked(context, i)).toEqual(asked(context, 0));
    }
  });

  it("does not give or run again what is finished, and gives the rest as it would have been", async () => {
    const whole = await collected(sampleRollouts(words(), options()));
    const before = new Map(whole.slice(0, 11).map((record) => [record.id, record]));
    const policy = wordKeeper();
    const rest = await collected(sampleRollouts(words(), options({ policy, finished: (id) => before.get(id) })));
    expect(normalised(rest)).toEqual(normalised(whole.slice(11)));
  });

  it("left early ends its sessions and lets go of its contexts", async () => {
    const { contexts, seen } = watchedContexts(await collected(words({ contexts: 5 })));
    const policy = wordKeeper();
    let taken = 0;
    for await (const record of sampleRollouts(contexts, options({ policy }))) {
      expect(record.end).toBe("text");
      if (++taken === 3) break;
    }
    const asked = policy.asked.length;
    expect(await quiet(policy)).toBe(asked);
    expect(asked).toBeLessThan(5 * 14 * 2);
    expect(seen).toMatchObject({ closed: true });
    expect(seen.taken).toBeLessThan(5);
  });

  it("ends at its signal with the sessions that were done by then", async () => {
    const controller = new AbortController();
    const policy = wordKeeper();
    const records: SessionRecord[] = [];
    for await (const record of sampleRollouts(words(), options({ policy, signal: controller.signal }))) {
      records.push(record);
      if (records.length === 4) controller.abort();
    }
    expect(records.length).toBeGreaterThanOrEqual(4);
    expect(records.length).toBeLessThan(4 + 4 + 1);
    expect(records.every(({ end }) => end === "text")).toBe(true);
    const asked = policy.asked.length;
    expect(await quiet(policy)).toBe(asked);
  });

  it("waits for a reader that is slower than the sessions, and forgets none of them", async () => {
    const [context] = await collected(words({ contexts: 1, chunks: 1 }));
    const questions = Array.from({ length: 700 }, (_, i) => ({ ...context!.questions[0]!, id: `${i}` }));
    const policy = wordKeeper();
    const stream = sampleRollouts([{ ...context!, questions }], options({ policy, G: 1 }));
    const first = await stream.next();
    expect(first.value!.id).toBe("c0/t0/m0");
    const held = await quiet(policy);
    // two turns a question: 256 records wait and four sessions run
    expect(held).toBeLessThan(2 * (256 + 4 + 4));
    expect(held).toBeGreaterThan(2 * 256);
    const rest = await collected(stream);
    expect(new Set(rest.map(({ id }) => id)).size).toBe(700);
  });

  it("throws what its contexts throw, after its sessions have ended", async () => {
    const policy = wordKeeper();
    async function* broken() {
      yield* await collected(words({ contexts: 1 }));
      throw new Error("the data ends in the middle");
    }
    await expect(collected(sampleRollouts(broken(), options({ policy })))).rejects.toThrow(
      "the data ends in the middle",
    );
    const asked = policy.asked.length;
    expect(await quiet(policy)).toBe(asked);
  });

  it("refuses two contexts of one name, whose sessions could not be told apart", async () => {
    const twice = [...(await collected(words({ contexts: 1 }))), ...(await collected(words({ contexts: 1 })))];
    await expect(collected(sampleRollouts(twice, options()))).rejects.toThrow('two contexts are named "c0"');
  });

  it("goes on beside a session that fails", async () => {
    const fail = new Error("503");
    const policy = wordKeeper({ instead: (asked) => (asked.startsWith("qa c0 question 1") ? { fail } : undefined) });
    const records = await collected(sampleRollouts(words(), options({ policy })));
    expect(records).toHaveLength(28);
    expect(
      records
        .filter(({ error }) => error)
        .map(({ id }) => id)
        .sort(),
    ).toEqual(["c0/t0/q1", "c0/t1/q1"]);
  });

  it.each([
    ["no trajectory", { G: 0 }, /expected G to be a whole number of at least 1, got 0/],
    ["half a question", { M: 0.5 }, /expected M to be a whole number/],
    ["no session at a time", { concurrency: 0 }, /expected concurrency/],
    ["more questions than there are", { M: 9 }, /M = 9 questions per context, but c0 has 4/],
    ["a live policy for a pool", { pool: 2 }, /a pool's threads build policy and variant themselves/],
    [
      "a source of its own for a pool",
      { pool: 2, policy: { policy: "ledger-expert" }, openSource: () => createSource(["x"]) },
      /cannot be given openSource/,
    ],
    ["a variant that there is not", { variant: "umma" }, /umma/],
  ])("is refused with %s", async (_, wrong, message) => {
    const policy = wordKeeper();
    await expect(collected(sampleRollouts(words(), options({ policy, ...wrong })))).rejects.toThrow(message);
    expect(policy.asked).toEqual([]);
  });
});

describe("a stream from a pool", () => {
  const ledger = async () => {
    const benchmark = await loadBenchmark("ledger-qa");
    return benchmark.load(
      benchmark.config.parse({ horizon: [2], contexts: 2, profile: "micro" }),
    ) as AsyncIterable<EvalContext>;
  };
  const expert = { policy: { policy: "ledger-expert" }, toolset: toolsets.ledger, M: 4 };

  it("is that of the main thread, and can be left early", async () => {
    const here = await collected(sampleRollouts(await ledger(), options(expert)));
    const there = await collected(sampleRollouts(await ledger(), options({ ...expert, pool: 2 })));
    expect(normalised(there)).toEqual(normalised(here));
    for await (const record of sampleRollouts(await ledger(), options({ ...expert, pool: 1 }))) {
      expect(record.error).toBe(null);
      break;
    }
  }, 120_000);
});
