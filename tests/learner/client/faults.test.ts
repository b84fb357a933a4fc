/** What goes wrong between a client and a server: each call is executed once, or its caller is told that nobody knows. */
import { describe, expect, it } from "vitest";
import type { UmaError } from "../../../base/errors.ts";
import { profiles } from "../../../learner/engines/engine-profiles.ts";
import { connect, datum, impatient } from "../../support/tinker-server/connect.ts";
import { type Fault, type Seen, startTinkerServer } from "../../support/tinker-server/tinker-server.ts";

const lora = { baseModel: "bigram", lora: { rank: 4 } } as const;
const adam = { learningRate: 0.1 };
const data = [datum(6), datum(4, 5)];
const skyrl = { ...profiles["skyrl-fsdp"], wire: "proto" } as const;

/** The fault for the first `times` requests to a route. */
const first = (times: number, route: string, fault: Fault) => (seen: Seen) =>
  seen.route === route && seen.nth <= times ? fault : null;

const failure = (promise: Promise<unknown>): Promise<UmaError> =>
  promise.then(
    () => expect.unreachable("it should have failed"),
    (thrown) => thrown,
  );

/** Scores after one update, undisturbed. */
async function undisturbed(): Promise<number[]> {
  const { client } = await connect();
  const model = await client.createModel(lora);
  await model.forwardBackward(data, "cross_entropy");
  await model.optimStep(adam);
  return Array.from((await model.forward(data)).logprobs[0]!);
}

describe("a submission", () => {
  it.each<[string, Fault]>([
    ["503", { status: 503 }],
    ["500", { status: 500 }],
    ["429", { status: 429 }],
    ["408", { status: 408 }],
    ["a connection that breaks before", "cut"],
    ["an answer that is lost after execution", "lost"],
  ])("is executed once through %s on every route", async (_, fault) => {
    const { client, server } = await connect();
    const spared = ["session_heartbeat", "retrieve_future", "get_info"];
    server.fault(({ route, nth }) => (spared.includes(route) || nth % 2 === 0 ? null : fault));
    const model = await client.createModel(lora);
    await model.forwardBackward(data, "cross_entropy");
    await model.optimStep(adam);
    const sampler = await model.publish();
    await model.saveState("x");
    expect(await sampler.sample({ prompt: Int32Array.of(1), maxTokens: 2 })).toHaveLength(1);
    expect(Array.from((await model.forward(data)).logprobs[0]!)).toEqual(await undisturbed());
    expect(server.executed.map(({ seqId }) => seqId)).toEqual([1, 2, 3, 4, 5]);
  });

  it("is not sent again in doubt to an engine that would execute it twice", async () => {
    const { client, server } = await connect({ idempotent: false }, { profile: skyrl });
    const model = await client.createModel(lora);
    const path = await model.saveState("before");
    server.fault(first(1, "forward_backward", "lost"));
    const failed = await failure(model.forwardBackward(data, "cross_entropy"));
    expect(failed.code).toBe("provider");
    expect(failed.message).toMatch(/may or may not have been executed/);
    expect(failed.fix).toMatch(/load the last checkpoint/);
    await expect(model.optimStep(adam)).rejects.toThrow(/no longer known/);
    await expect(model.publish()).rejects.toThrow(/no longer known/);
    await model.loadState(path);
    await model.forwardBackward(data, "cross_entropy");
    await model.optimStep(adam);
    expect(Array.from((await model.forward(data)).logprobs[0]!)).toEqual(await undisturbed());
  });

  it("is sent again to such an engine when it was surely not executed, or changes nothing", async () => {
    const { client, server } = await connect({ idempotent: false }, { profile: skyrl });
    const model = await client.createModel(lora);
    server.fault((seen) => (seen.route === "forward_backward" && seen.nth === 1 ? { status: 503 } : null));
    await model.forwardBackward(data, "cross_entropy");
    server.fault((seen) => (seen.route === "forward_backward" && seen.nth === 3 ? "lost" : null));
    await model.forward(data);
    server.fault(() => null);
    await model.optimStep(adam);
    expect(Array.from((await model.forward(data)).logprobs[0]!)).toEqual(await undisturbed());
  });

  it("that is refused for good says why, and the next call runs", async () => {
    const { client, server } = await connect();
    const model = await client.createModel(lora);
    server.fault(
      first(1, "forward_backward", { status: 422, body: { detail: [{ loc: ["body", "x"], msg: "is wrong" }] } }),
    );
    const failed = await failure(model.forwardBackward(data, "cross_entropy"));
    expect([failed.code, failed.message]).toEqual([
      "input",
      expect.stringMatching(/422 to forward_backward: body.x: is wrong/),
    ]);
    server.fault(() => null);
    await model.forwardBackward(data, "cross_entropy");
    await model.optimStep(adam);
    expect(Array.from((await model.forward(data)).logprobs[0]!)).toEqual(await undisturbed());
  });

  it("that never reached the server leaves no hole in the numbers", async () => {
    const { client, server } = await connect({}, { limits: { retryForMs: 200 } });
    const model = await client.createModel(lora);
    server.fault((seen) => (seen.route === "forward_backward" ? { status: 503 } : null));
    await expect(model.forwardBackward(data, "cross_entropy")).rejects.toThrow(/answered 503/);
    server.fault((seen) =>
      seen.route === "forward_backward" && seen.nth < 100 && seen.bytes > 0 ? { status: 413 } : null,
    );
    const large = await failure(model.forwardBackward(data, "cross_entropy"));
    expect([large.code, large.fix]).toEqual(["config", expect.stringMatching(/smaller parts/)]);
    server.fault(() => null);
    await model.forwardBackward(data, "cross_entropy");
    await model.optimStep(adam);
    expect(Array.from((await model.forward(data)).logprobs[0]!)).toEqual(await undisturbed());
    expect(server.executed[0]).toEqual({ seqId: 1, kind: "forward_backward" });
  });

  it("obeys x-should-retry: false", async () => {
    const { client, server } = await connect();
    const model = await client.createModel(lora);
    server.fault(
      first(9, "optim_step", { status: 503, headers: { "x-should-retry": "false" }, body: { detail: "closed" } }),
    );
    await expect(model.optimStep(adam)).rejects.toThrow(/503 to optim_step: closed/);
    expect(server.seen.filter(({ route }) => route === "optim_step")).toHaveLength(1);
  });
});

describe("a poll", () => {
  it.each<[string, Fault]>([
    ["408", { status: 408 }],
    ["500", { status: 500 }],
    ["429", { status: 429 }],
    ["402", { status: 402 }],
    ["a broken connection", "cut"],
    ["a lost answer", "lost"],
    ["no answer at all", "hang"],
    ["try again", { status: 200, body: { type: "try_again", queue_state: "paused_capacity" } }],
  ])("is repeated after %s", async (_, fault) => {
    const { client, server, warnings } = await connect({}, { limits: { pollMs: 100 } });
    server.fault((seen) => (seen.route === "retrieve_future" && seen.nth % 3 !== 0 ? fault : null));
    const model = await client.createModel(lora);
    await model.forwardBackward(data, "cross_entropy");
    expect(server.executed).toHaveLength(1);
    expect(warnings).toEqual(
      typeof fault === "object" && fault.status === 402
        ? [expect.stringMatching(/payment/), expect.stringMatching(/payment/)]
        : [],
    );
  });

  it("waits as long as the work takes", async () => {
    const { client, server } = await connect({ workMs: 300, pollMs: 20 });
    const model = await client.createModel(lora);
    await model.optimStep(adam);
    expect(server.seen.filter(({ route }) => route === "retrieve_future").length).toBeGreaterThan(3);
  });

  it("gives up on 400 after three times", async () => {
    const { client, server } = await connect();
    const model = await client.createModel(lora);
    const before = server.seen.length;
    server.fault((seen) => (seen.route === "retrieve_future" ? { status: 400, body: { detail: "bad" } } : null));
    await expect(model.forward(data)).rejects.toThrow(/400 to retrieve_future \(Forward\): bad/);
    expect(server.seen.slice(before).filter(({ route }) => route === "retrieve_future")).toHaveLength(3);
  });

  it("announced by its size takes a share of memory first", async () => {
    const { client, server } = await connect({ announceAbove: 10 }, { limits: { inflightBytes: 64 } });
    const model = await client.createModel(lora);
    const outputs = await Promise.all([model.forward(data), model.forward(data), model.forward(data)]);
    expect(outputs.map(({ logprobs }) => logprobs.length)).toEqual([2, 2, 2]);
    const polls = server.seen.filter(
      ({ route, headers }) => route === "retrieve_future" && headers["x-tinker-request-type"] === "Forward",
    );
    expect(polls.filter(({ body }) => body!.allow_metadata_only === false)).toHaveLength(3);
  });

  it("that finds the result gone is an error for a gradient, and only a checkpoint goes on from there", async () => {
    const { client, server } = await connect();
    const model = await client.createModel(lora);
    const path = await model.saveState("x");
    server.fault((seen) => (seen.route === "retrieve_future" ? { status: 410, body: { detail: "expired" } } : null));
    const failed = await failure(model.forwardBackward(data, "cross_entropy"));
    expect([failed.code, failed.message]).toEqual([
      "provider",
      expect.stringMatching(/no longer has the result.*expired/),
    ]);
    server.fault(() => null);
    await expect(model.optimStep(adam)).rejects.toThrow(/no longer known/);
    await model.loadState(path);
    await model.optimStep(adam);
  });

  it("that finds a sample gone asks for it anew, under a new number", async () => {
    const { client, server } = await connect();
    const sampler = await client.createSampler({ baseModel: "bigram" });
    let gone = 2;
    server.fault((seen) => (seen.route === "retrieve_future" && gone-- > 0 ? { status: 410 } : null));
    expect(await sampler.sample({ prompt: Int32Array.of(1), maxTokens: 3 })).toHaveLength(1);
    expect(server.seen.filter(({ route }) => route === "asample").map(({ body }) => body!.seq_id)).toEqual([0, 1, 2]);
    server.fault((seen) => (seen.route === "retrieve_future" ? { status: 410 } : null));
    await expect(sampler.sample({ prompt: Int32Array.of(1), maxTokens: 3 })).rejects.toThrow(
      /no longer has the result/,
    );
  });
});

describe("a server", () => {
  it("that was restarted is told from one that is slow, and training goes on from the checkpoint", async () => {
    const { client, server } = await connect();
    const model = await client.createModel(lora);
    const path = await model.saveState("x");
    server.restart();
    const failed = await failure(model.forwardBackward(data, "cross_entropy"));
    expect(failed.fix).toMatch(/restarted.*create the model from the last checkpoint/);
    await client.close();
    const { createLearnerClient } = await import("../../../learner/index.ts");
    const next = await createLearnerClient({ baseURL: server.url, limits: impatient });
    const again = await next.createModelFrom(path);
    await again.forwardBackward(data, "cross_entropy");
    await again.optimStep(adam);
    expect(Array.from((await again.forward(data)).logprobs[0]!)).toEqual(await undisturbed());
    await next.close();
  });

  it("that is not there is an error that says so", async () => {
    const { createLearnerClient } = await import("../../../learner/index.ts");
    const server = await startTinkerServer();
    await server.close();
    const nowhere = createLearnerClient({ baseURL: server.url, limits: { ...impatient, retryForMs: 20 } });
    const failed = await failure(nowhere);
    expect([failed.code, failed.message]).toEqual([
      "provider",
      expect.stringMatching(/cannot be reached.*ECONNREFUSED/),
    ]);
    await expect(createLearnerClient({ baseURL: "learner:8000" })).rejects.toThrow(/expected the learner's URL/);
  });

  it("that dies while a result is waited for is given up on", async () => {
    const { client, server } = await connect({ workMs: 60_000 }, { limits: { unreachableForMs: 400 } });
    const model = await client.createModel(lora);
    const waiting = failure(model.optimStep(adam));
    await new Promise((resolve) => setTimeout(resolve, 100));
    await server.close();
    expect((await waiting).message).toMatch(/has not answered for 0.4 s while OptimStep was waited for/);
  });

  it("wants its key", async () => {
    const failed = await failure(connect({ apiKey: "secret" }));
    expect([failed.code, failed.fix]).toEqual(["config", "give the server's API key (apiKey)"]);
    await connect({ apiKey: "secret" }, { apiKey: "secret" });
  });

  it("that sends nonsense is at fault", async () => {
    const { client, server } = await connect();
    const model = await client.createModel(lora);
    server.fault((seen) => (seen.route === "retrieve_future" ? { status: 200, body: { loss_fn_outputs: "?" } } : null));
    await expect(model.forward(data)).rejects.toThrow(/result of forward_backward in a form that cannot be read/);
    server.fault((seen) => (seen.route === "retrieve_future" ? { status: 200, body: { loss_fn_outputs: [] } } : null));
    await expect(model.forward(data)).rejects.toThrow(/log-probabilities of 0 datums for a call of 2/);
  });
});

describe("a failed call", () => {
  it("fails those that were made before it was known, so that no step is taken on half a gradient", async () => {
    const { client, server } = await connect({ workMs: 20 });
    const model = await client.createModel(lora);
    const wrong = model.forwardBackward([datum(3, 1, { target_tokens: Int32Array.of(1, 2, 99) })], "cross_entropy");
    const step = model.optimStep(adam);
    const [gradient, taken] = await Promise.all([failure(wrong), failure(step)]);
    expect([gradient.code, gradient.message]).toEqual([
      "input",
      expect.stringMatching(/failed at the learner \(user\): .*99/),
    ]);
    expect(taken.message).toMatch(/optim_step does not count: an earlier call that it builds on failed/);
    await expect(model.forward(data)).rejects.toThrow(/no longer known/);
    expect(server.executed.map(({ kind }) => kind)).toEqual(["forward_backward", "optim_step"]);
  });

  it("that is known and left no trace does not stand in the way", async () => {
    const { client } = await connect();
    const model = await client.createModel(lora);
    await expect(model.forwardBackward(data, "no_such_loss")).rejects.toThrow(/expected a loss_fn/);
    await model.forwardBackward(data, "cross_entropy");
    await model.optimStep(adam);
    expect(Array.from((await model.forward(data)).logprobs[0]!)).toEqual(await undisturbed());
  });

  it("of which one part was accumulated needs a checkpoint", async () => {
    const { client } = await connect({}, { limits: { chunkDatums: 1 } });
    const model = await client.createModel(lora);
    const half = [datum(3), datum(3, 1, { target_tokens: Int32Array.of(1, 2, 99) })];
    await expect(model.forwardBackward(half, "cross_entropy")).rejects.toThrow(/99/);
    await expect(model.optimStep(adam)).rejects.toThrow(/no longer known/);
  });

  it("on which nothing builds fails alone", async () => {
    const { client } = await connect();
    const model = await client.createModel(lora);
    const unknown = failure(model.forward(data, "no_such_loss"));
    const gradient = model.forwardBackward(data, "cross_entropy");
    const step = model.optimStep(adam);
    expect((await unknown).message).toMatch(/expected a loss_fn/);
    await Promise.all([gradient, step]);
    expect(Array.from((await model.forward(data)).logprobs[0]!)).toEqual(await undisturbed());
  });

  it("nobody listens to does not end the process when a later one speaks for it", async () => {
    const { client } = await connect();
    const model = await client.createModel(lora);
    void model.forwardBackward(data, "no_such_loss");
    await expect(model.optimStep(adam)).rejects.toThrow(/earlier call/);
    await new Promise((resolve) => setTimeout(resolve, 20));
  });
});
