/** A thread that dies between posting a session's record and returning: seldom, so a pool that always does it stands in. */
import type { MessagePort } from "node:worker_threads";
import type { Piscina } from "piscina";
import { describe, expect, it } from "vitest";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { SessionLimits } from "../../nodes/session/limits.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { createHalt } from "../../rollouts/halt.ts";
import { poolEngine, type ThreadDeath } from "../../rollouts/pool/pool-engine.ts";
import type { WorkerTask } from "../../rollouts/pool/worker-messages.ts";
import { aRecord } from "./a-record.ts";

interface Job {
  readonly task: WorkerTask;
  readonly port: MessagePort;
}

const dyingAfter = (records: readonly SessionRecord[]) => {
  const asked: WorkerTask[] = [];
  const run = async ({ task, port }: Job) => {
    asked.push(task);
    for (const record of records) port.postMessage(record);
    port.close();
    throw new Error("the thread is gone");
  };
  return { asked, pool: { run } as unknown as Piscina };
};

async function engineOn(pool: Piscina) {
  const deaths: ThreadDeath[] = [];
  const engine = poolEngine({
    variant: await loadVariant("uma"),
    threads: { threads: 1, data: { channel: "none" }, pool, cut: () => {}, close: async () => {} },
    ...{ concurrency: 1, prompt: "hash", policy: { name: "none", scripted: true, weights: null } },
    halt: createHalt({}),
    onDeath: (death) => deaths.push(death),
    spec: {
      policy: { policy: "none" },
      ...{ variant: "uma", toolset: "paper", prompts: "default", run: "a-run", seed: 1 },
      time: { turn: null, session: null },
      limits: SessionLimits.parse({}),
    },
  });
  return { engine, deaths };
}

const context = { id: "c0", chunks: ["one", "two"], questions: [] };

describe("a thread that dies when the record has left it already", () => {
  it("an answer is not given twice", async () => {
    const record = aRecord({ context: "c0", trajectory: 0, position: 2, question: "q" });
    const { asked, pool } = dyingAfter([record]);
    const { engine, deaths } = await engineOn(pool);
    const delivered: SessionRecord[] = [];
    const question = { id: "q", text: "?", position: 2 };
    const job = { context: context, trajectory: 0, parent: null, memory: engine.begin(), question };
    await engine.answer(job, (given) => void delivered.push(given));
    expect(delivered).toEqual([record]);
    expect(asked).toHaveLength(1);
    expect(deaths).toEqual([]);
    await engine.close();
  });

  it("a chunk is not read twice, and the memory is that of the records", async () => {
    const records = [0, 1].map((position) => aRecord({ context: "c0", trajectory: 0, position }));
    const { asked, pool } = dyingAfter(records);
    const { engine, deaths } = await engineOn(pool);
    const delivered: SessionRecord[] = [];
    const job = { context: context, trajectory: 0, parent: null, memory: engine.begin(), from: 0, to: 2 };
    const { memory, reached } = await engine.memorize(job, (given) => void delivered.push(given));
    expect(delivered).toEqual(records);
    expect(reached).toBe(2);
    expect(asked).toHaveLength(1);
    expect(deaths).toEqual([]);
    expect((memory as { value: { core: string } }).value.core).toBe(records[1]!.id);
    await engine.close();
  });
});
