/** Bounded memory, heartbeats, cancellation, and what is refused before anything is sent. */
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { UmaError } from "../../../base/errors.ts";
import { createByteBudget } from "../../../learner/client/byte-budget.ts";
import { connect, datum } from "../../support/tinker-server/connect.ts";

const lora = { baseModel: "bigram", lora: { rank: 4 } } as const;
const adam = { learningRate: 0.1 };

describe("memory", () => {
  it("is given out first come, first served, and what is larger than all of it goes alone", async () => {
    const budget = createByteBudget(10);
    const order: string[] = [];
    const take = async (name: string, bytes: number) => {
      const giveBack = await budget.take(bytes);
      order.push(name);
      return giveBack;
    };
    const a = await take("a", 6);
    const b = take("b", 6);
    const c = take("c", 1);
    const d = take("d", 99);
    await wait(1);
    expect(order).toEqual(["a"]);
    a();
    a();
    await Promise.all([b, c]);
    expect(order).toEqual(["a", "b", "c"]);
    (await b)();
    await wait(1);
    expect(order).toHaveLength(3);
    (await c)();
    (await d)();
    const stop = new AbortController();
    const held = await budget.take(10);
    const waiting = budget.take(1, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: "cancelled" });
    held();
    (await budget.take(10))();
  });

  it("of bodies under way stays within its budget, however large the update", async () => {
    const { client, server } = await connect({}, { limits: { chunkBytes: 4_000, dispatchBytes: 12_000 } });
    const model = await client.createModel(lora);
    let drawn = 0;
    let most = 0;
    const acknowledged = () => server.seen.filter(({ route }) => route === "forward_backward").length;
    function* update() {
      for (; drawn < 120; drawn++) {
        most = Math.max(most, drawn - 4 * acknowledged());
        yield datum(40, drawn);
      }
    }
    const output = await model.forwardBackward(update(), "cross_entropy");
    expect(output.logprobs).toHaveLength(120);
    expect(server.executed.length).toBeGreaterThan(20);
    expect(server.mostBytes).toBeLessThanOrEqual(14_000);
    expect(most).toBeLessThan(60);
  });

  it("is free again when a part is refused while others wait for theirs", async () => {
    const { client, server } = await connect({}, { limits: { chunkDatums: 1, dispatchBytes: 700 } });
    const model = await client.createModel(lora);
    server.fault(({ route, body }) => (route === "forward_backward" && body!.seqId === 2 ? { status: 422 } : null));
    const data = Array.from({ length: 6 }, (_, d) => datum(4, d));
    await expect(model.forward(data)).rejects.toMatchObject({ code: "input" });
    while (server.executed.length < 5) await wait(2);
    expect(server.executed.map(({ seqId }) => seqId)).toEqual([1, 3, 4, 5, 6]);
    expect((await model.forward(data)).logprobs).toHaveLength(6);
  });

  it("is asked for in parts no larger than the server wants, in datums and bytes", async () => {
    const { client, server } = await connect({
      flags: { fwdbwd_max_chunk_len: 3, fwdbwd_max_chunk_bytes_count: 2_500 },
    });
    const model = await client.createModel(lora);
    await model.forwardBackward(
      [...Array(7)].map(() => datum(2)),
      "cross_entropy",
    );
    await model.forwardBackward(
      [...Array(4)].map(() => datum(50)),
      "cross_entropy",
    );
    await model.forwardBackward([datum(400)], "cross_entropy");
    const sizes = server.seen
      .filter(({ route }) => route === "forward_backward")
      .sort((a, b) => Number(a.body!.seqId) - Number(b.body!.seqId))
      .map(({ body }) => (body!.data as unknown[]).length);
    expect(sizes).toEqual([3, 3, 1, 2, 2, 1]);
  });

  it("of samples: so many at once, and more when the server lets it", async () => {
    const { client, server } = await connect({ workMs: 30 }, { limits: { samples: 3 } });
    const sampler = await client.createSampler({ baseModel: "bigram" });
    let open = 0;
    let most = 0;
    let full = 4;
    server.fault(({ route }) => {
      if (route === "asample" && full-- > 0) return { status: 429 };
      if (route === "asample") most = Math.max(most, ++open);
      return null;
    });
    const samples = await Promise.all(
      Array.from({ length: 9 }, async (_, seed) => {
        const sampled = await sampler.sample({ prompt: Int32Array.of(1, 2), maxTokens: 2, seed });
        open -= 1;
        return sampled;
      }),
    );
    expect(samples.flat()).toHaveLength(9);
    expect(most).toBeLessThanOrEqual(3);
    expect(server.seen.find(({ route }) => route === "asample")!.headers["x-tinker-sampling-backpressure"]).toBe("1");
  });

  it("that JSON would waste is worth a warning", async () => {
    const { client, warnings } = await connect({ dialects: ["json"] }, { wire: "json", limits: { jsonTokens: 10 } });
    const model = await client.createModel(lora);
    await model.forward([datum(10)]);
    expect(warnings).toEqual([]);
    await model.forward([datum(11)]);
    expect(warnings).toEqual([expect.stringMatching(/^11 tokens went to the learner as JSON/)]);
  });
});

describe("the dialect", () => {
  it.each([
    [["proto", "json"], "proto"],
    [["proto"], "proto"],
    [["json"], "json"],
  ] as const)(
    "of a server that reads %s is found with the first call, which is executed once: %s",
    async (dialects, found) => {
      const { client, server } = await connect({ dialects }, { wire: "auto", limits: { chunkDatums: 2 } });
      const model = await client.createModel(lora);
      const data = Array.from({ length: 5 }, (_, d) => datum(3 + d, d));
      expect((await model.forwardBackward(data, "cross_entropy")).logprobs.map(({ length }) => length)).toEqual([
        3, 4, 5, 6, 7,
      ]);
      await model.forward(data);
      expect(server.executed.map(({ seqId }) => seqId)).toEqual([1, 2, 3, 4, 5, 6]);
      const last = server.seen.findLast(({ route }) => route.startsWith("forward"))!;
      expect(last.contentType).toBe(found === "proto" ? "application/x-protobuf" : "application/json");
    },
  );

  it("is not confused by a call that is wrong", async () => {
    const { client, server } = await connect({ dialects: ["proto"] }, { wire: "auto" });
    const model = await client.createModel(lora);
    server.fault(({ route, nth }) =>
      route === "forward_backward" && nth === 1 ? { status: 422, body: { detail: "wrong" } } : null,
    );
    await expect(model.forwardBackward([datum()], "cross_entropy")).rejects.toThrow(/422 to forward_backward: wrong/);
    expect((await model.forward([datum()])).logprobs).toHaveLength(1);
  });
});

describe("the session", () => {
  it("beats while it is open, and is finished on close", async () => {
    const { client, server } = await connect({}, { limits: { heartbeatMs: 15 } });
    await wait(100);
    const beats = () => server.seen.filter(({ route }) => route === "session_heartbeat");
    expect(beats().length).toBeGreaterThanOrEqual(3);
    expect(beats()[0]!.body).toEqual({ session_id: client.sessionId, type: "session_heartbeat" });
    await client.close();
    const then = beats().length;
    await wait(50);
    expect(beats()).toHaveLength(then);
    expect(server.seen.at(-1)).toMatchObject({
      route: `sessions/${client.sessionId}/finish`,
      body: { reason: { type: "success" } },
    });
    await client.close();
  });

  it("warns once when heartbeats are not answered, and stops beating when the server says it is over", async () => {
    const { server, warnings } = await connect({}, { limits: { heartbeatMs: 10, heartbeatWarnMs: 50 } });
    server.fault(({ route }) => (route === "session_heartbeat" ? { status: 500 } : null));
    await wait(150);
    expect(warnings).toEqual([expect.stringMatching(/has not answered a heartbeat/)]);
    server.fault(() => null);
    server.restart();
    while (warnings.length < 2) await wait(5);
    expect(warnings[1]).toMatch(/has ended the session/);
    const beats = server.seen.filter(({ route }) => route === "session_heartbeat").length;
    await wait(60);
    expect(server.seen.filter(({ route }) => route === "session_heartbeat")).toHaveLength(beats);
  });
});

describe("a signal", () => {
  const cancelled = { code: "cancelled" } satisfies Partial<UmaError>;

  it("ends a call before its turn without a trace", async () => {
    const { client, server } = await connect({ workMs: 10 });
    const model = await client.createModel(lora);
    const stop = new AbortController();
    server.fault(({ route, nth }) => (route === "forward_backward" && nth === 1 ? { status: 503 } : null));
    const first = model.forwardBackward([datum()], "cross_entropy");
    const second = model.forwardBackward([datum()], "cross_entropy", {}, { signal: stop.signal });
    stop.abort();
    await expect(second).rejects.toMatchObject(cancelled);
    await first;
    await model.optimStep(adam);
    expect(server.executed.map(({ seqId, kind }) => [seqId, kind])).toEqual([
      [1, "forward_backward"],
      [2, "optim_step"],
    ]);
  });

  it("ends the wait for one that was sent, whose gradient is then not known", async () => {
    const { client, server } = await connect({ workMs: 80 });
    const model = await client.createModel(lora);
    const path = await model.saveState("x");
    const stop = new AbortController();
    const call = model.forwardBackward([datum()], "cross_entropy", {}, { signal: stop.signal });
    while (!server.seen.some(({ route }) => route === "forward_backward")) await wait(1);
    stop.abort();
    await expect(call).rejects.toMatchObject(cancelled);
    await expect(model.optimStep(adam)).rejects.toThrow(/no longer known/);
    await model.loadState(path);
    await model.optimStep(adam);
  });

  it("ends a sample, and all that a client has under way", async () => {
    const close = new AbortController();
    const { client } = await connect({ workMs: 5_000 }, { signal: close.signal });
    const sampler = await client.createSampler({ baseModel: "bigram" });
    const stop = new AbortController();
    const one = sampler.sample({ prompt: Int32Array.of(1), maxTokens: 1, signal: stop.signal });
    const other = sampler.sample({ prompt: Int32Array.of(1), maxTokens: 1 });
    setTimeout(() => stop.abort(), 30);
    await expect(one).rejects.toMatchObject(cancelled);
    close.abort();
    await expect(other).rejects.toMatchObject(cancelled);
    await expect(client.createModel(lora)).rejects.toMatchObject(cancelled);
  });
});

describe("what is refused before it is sent", () => {
  it.each([
    ["no datum", [], /expected at least one datum/],
    ["an empty one", [datum(0)], /datum 0: expected at least one token/],
    [
      "another length",
      [datum(3), datum(3, 1, { weights: new Float32Array(2) })],
      /datum 1: weights: expected 3 numbers, one per token, got 2/,
    ],
    [
      "NaN",
      [datum(3, 1, { advantages: Float32Array.of(0, Number.NaN, 0) })],
      /advantages: expected finite numbers, got NaN at position 1/,
    ],
    [
      "infinity",
      [datum(3, 1, { weights: Float32Array.of(0, 0, Number.POSITIVE_INFINITY) })],
      /got Infinity at position 2/,
    ],
    [
      "a negative id",
      [datum(3, 1, { target_tokens: Int32Array.of(1, -1, 2) })],
      /target_tokens: expected token ids from 0, got -1 at position 1/,
    ],
    [
      "a reference that counts and is not finite",
      [datum(2, 1, { ref_logprobs: Float32Array.of(-1, Number.NaN), kl_weights: Float32Array.of(0, 1) })],
      /ref_logprobs/,
    ],
  ])("%s", async (_, data, message) => {
    const { client, server } = await connect();
    const model = await client.createModel(lora);
    await expect(model.forwardBackward(data, "cross_entropy")).rejects.toThrow(message);
    expect(server.seen.some(({ route }) => route === "forward_backward")).toBe(false);
    await model.optimStep(adam);
  });

  it.each(["proto", "json"] as const)("but a reference that does not count may hold anything (%s)", async (wire) => {
    const { client } = await connect({}, { wire });
    const model = await client.createModel(lora);
    const inputs = {
      logprobs: new Float32Array(2).fill(-1),
      advantages: new Float32Array(2).fill(1),
      ref_logprobs: Float32Array.of(Number.NEGATIVE_INFINITY, -1),
      kl_weights: Float32Array.of(0, 1),
    };
    const output = await model.forwardBackward([datum(2, 1, inputs)], "ppo", { kl_beta: 0.1, kl_kind: 3 });
    expect(output.metrics["loss:sum"]).toBeTypeOf("number");
  });

  it("limits that cannot be kept", async () => {
    await expect(connect({}, { limits: { pollMs: 600_000 } })).rejects.toThrow(
      /limits.pollMs: expected at most 290000/,
    );
    await expect(connect({}, { limits: { chunkBytes: Number.NaN } })).rejects.toThrow(
      /limits.chunkBytes: expected a number/,
    );
  });

  it("settings of a step outside their range, and with a warning those the engine ignores", async () => {
    const { client, server, warnings } = await connect({}, { profile: "skyrl-fsdp" });
    const model = await client.createModel(lora);
    await expect(model.optimStep({ learningRate: Number.NaN })).rejects.toMatchObject({ code: "config" });
    await expect(model.optimStep({ learningRate: 1, beta1: 1 })).rejects.toThrow(
      /beta1: expected a number from 0 to below 1/,
    );
    await model.optimStep({ learningRate: 0.1, gradClipNorm: 1 });
    await model.optimStep({ learningRate: 0.1, gradClipNorm: 1 });
    expect(warnings).toEqual(["engine skyrl-fsdp ignores grad_clip_norm of optim_step"]);
    expect(server.seen.find(({ route }) => route === "optim_step")!.body!.adam_params).toEqual({
      learning_rate: 0.1,
      beta1: 0.9,
      beta2: 0.95,
      eps: 1e-12,
      weight_decay: 0,
      grad_clip_norm: 1,
    });
  });
});
