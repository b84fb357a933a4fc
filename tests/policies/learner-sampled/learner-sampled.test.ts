import { HumanMessage } from "@langchain/core/messages";
import { describe, expect, it, onTestFinished } from "vitest";
import { createLearnerClient } from "../../../learner/index.ts";
import { tracePartsOf } from "../../../nodes/session/recorded-trace.ts";
import { createPolicy, learnerChatModel } from "../../../policies/index.ts";
import { LearnerChatModel } from "../../../policies/learner-sampled/learner-chat-model.ts";
import { learnerSampled } from "../../../policies/learner-sampled/learner-sampled.ts";
import { learnerSampler } from "../../../policies/learner-sampled/learner-sampler.ts";
import { tokensOf } from "../../../policies/message-tokens.ts";
import type { LearnerOptions } from "../../../policies/policy-options.ts";
import { tokenExactPolicy } from "../../../policies/token-exact/token-exact-policy.ts";
import { throughLoop } from "../../support/sessions.ts";
import { memoryRequest } from "../requests.ts";
import { tiny, tinyFolder } from "../token-exact/tiny-format.ts";
import { sentHash, tinyLearner } from "./tiny-learner.ts";

async function policyAt(baseURL: string, options: LearnerOptions = {}) {
  const policy = await learnerSampled({ baseURL, ...options }, {});
  onTestFinished(() => policy.close());
  return policy;
}

async function clientAt(baseURL: string) {
  const client = await createLearnerClient({ baseURL });
  onTestFinished(() => client.close());
  return client;
}

const limits = { promptTokens: 4_000, interactionTokens: 200 };

describe("the learner policy", () => {
  it("samples with the server's tokenizer and template, and its records hold what teacher forcing gives", async () => {
    const { server } = await tinyLearner();
    const policy = await policyAt(server.url);
    expect(policy).toMatchObject({ name: "learner:bigram", weights: "bigram", scripted: false });
    expect(policy.countTokens("rent 840")).toBe(tiny.tokenizer.countTokens("rent 840"));

    const { record } = await throughLoop(policy, { limits });
    expect(record.policy).toEqual({ name: "learner:bigram", scripted: false, weights: "bigram" });
    const [part] = tracePartsOf(record.trace!);
    const sampler = await (await clientAt(server.url)).createSampler({ baseModel: "bigram" });
    const scores = await sampler.computeLogprobs(part!.ids);
    const trained = [...part!.mask.keys()].filter((t) => part!.mask[t] === 1);
    expect(trained.length).toBeGreaterThan(10);
    for (const t of trained) expect(part!.sampler[t]).toBeCloseTo(scores[t]!, 5);
  });

  it("asks for all of the distribution, the end token and the seed", async () => {
    const { server } = await tinyLearner();
    await (await policyAt(server.url)).sample(memoryRequest("chunk", "", { maxTokens: 12 }));
    const { sampling_params, num_samples } = server.seen.find(({ route }) => route === "asample")!.body as {
      sampling_params: object;
      num_samples: number;
    };
    expect(num_samples).toBe(1);
    expect(sampling_params).toEqual({
      max_tokens: 12,
      temperature: 1,
      top_p: 1,
      top_k: -1,
      seed: 7,
      stop: [...tiny.endIds],
    });
  });

  it("gives the same reply to the same request, and never asks beyond the context that the server names", async () => {
    const { server } = await tinyLearner();
    const policy = await policyAt(server.url);
    const [one, two] = [await policy.sample(memoryRequest("chunk")), await policy.sample(memoryRequest("chunk"))];
    expect(tokensOf(one.message)).toEqual(tokensOf(two.message));
    expect(one.usage!.prompt + one.usage!.completion).toBeLessThanOrEqual(1_500);
  });

  it("samples from published weights under their own version, and a new publish is a new policy", async () => {
    const { server } = await tinyLearner();
    const client = await clientAt(server.url);
    const short = memoryRequest("chunk", "", { maxTokens: 40 });
    const model = await client.createModel({ baseModel: "bigram", lora: { rank: 4 } });
    const format = tiny;
    const publish = async () =>
      tokenExactPolicy(
        new LearnerChatModel({ name: "learner:run", sampler: learnerSampler(await model.publish()), format }),
      );
    const before = await publish();
    const first = await before.sample(short);
    const { prompt, completion, logprobs } = tokensOf(first.message)!;
    const ids = Int32Array.of(...prompt, ...completion);
    await model.forwardBackward(
      [
        {
          modelInput: ids.slice(0, -1),
          lossFnInputs: { target_tokens: ids.slice(1), weights: new Float32Array(ids.length - 1).fill(1) },
        },
      ],
      "cross_entropy",
    );
    await model.optimStep({ learningRate: 0.5 });
    const after = await publish();
    expect(after.weights).not.toBe(before.weights);
    const second = await after.sample(short);
    expect(tokensOf(second.message)!.weights).toBe(after.weights);
    expect(tokensOf(second.message)!.logprobs).not.toEqual(logprobs);

    const messages = [...short.messages, first.message, new HumanMessage("?")];
    await expect(after.sample({ ...short, messages })).rejects.toMatchObject({ code: "conflict" });

    const path = (await model.publish({ name: "kept" })).weightVersion;
    expect(path).toMatch(/^tinker:\/\//);
    const named = await policyAt(server.url, { model: path });
    expect(named).toMatchObject({ name: `learner:${path}`, weights: path });
    expect(tokensOf((await named.sample(short)).message)!.completion).toEqual(tokensOf(second.message)!.completion);
  });

  it("is made from a spec, and in any LangChain code from its chat model", async () => {
    const { server } = await tinyLearner();
    const spec = JSON.parse(JSON.stringify({ policy: "learner", baseURL: `${server.url}/api/v1/`, concurrency: 2 }));
    expect((await createPolicy(spec)).name).toBe("learner:bigram");
    const model = await learnerChatModel({ baseURL: server.url });
    onTestFinished(() => model.close());
    const reply = await model.invoke("Hello.", { maxTokens: 8 });
    expect(tokensOf(reply)!.completion.length).toBeLessThanOrEqual(8);
    expect(reply.response_metadata).toMatchObject({ model_name: "learner:bigram", weights: "bigram" });
  });

  it("takes address and key from the environment", async () => {
    const { server } = await tinyLearner({ apiKey: "tml-secret" });
    const env = { TINKER_BASE_URL: server.url, TINKER_API_KEY: "tml-secret" };
    const policy = await learnerSampled({}, env);
    onTestFinished(() => policy.close());
    expect(policy.name).toBe("learner:bigram");
    await expect(learnerSampled({}, { TINKER_BASE_URL: server.url })).rejects.toMatchObject({ code: "config" });
    await expect(learnerSampled({}, {})).rejects.toMatchObject({
      code: "config",
      message: "the learner policy needs the address of a learner, got none",
    });
  });
});

describe("the tokenizer", () => {
  const refusal = (url: string, options: LearnerOptions = {}) => learnerSampled({ baseURL: url, ...options }, {});

  it("of a local folder is compared with what the server says", async () => {
    const { server, answer } = await tinyLearner();
    await expect(refusal(server.url, { tokenizer: tinyFolder })).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(
        new RegExp(`is not the one of bigram: expected tokenizer.json with SHA-256 ${sentHash}`),
      ),
    });
    const supported_models = [{ model_name: "bigram" }];
    answer("get_server_capabilities", {
      status: 200,
      body: { supported_models, tokenizer: { sha256: tiny.tokenizer.hash } },
    });
    expect((await policyAt(server.url, { tokenizer: tinyFolder })).name).toBe("learner:bigram");
    expect(server.seen.some(({ route }) => route.startsWith("models/"))).toBe(false);
  });

  it("is compared with the hash that the user gives, where the server tells none", async () => {
    const { server, answer } = await tinyLearner();
    answer("get_server_capabilities", { status: 200, body: { supported_models: [{ model_name: "bigram" }] } });
    await expect(refusal(server.url, { tokenizerHash: "0".repeat(64) })).rejects.toMatchObject({ code: "config" });
    expect((await policyAt(server.url, { tokenizerHash: sentHash })).name).toBe("learner:bigram");
  });

  it("that the server does not give out has to be named", async () => {
    const { server, answer } = await tinyLearner();
    answer("models/bigram/tokenizer", { status: 404 });
    await expect(refusal(server.url)).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/gives out no tokenizer for bigram/),
      fix: expect.stringMatching(/local copy/),
    });
    await expect(refusal(server.url, { tokenizer: "/no/such/folder" })).rejects.toMatchObject({ code: "input" });
  });

  it("that cannot be had is an error of the provider", async () => {
    const { server, answer } = await tinyLearner();
    for (const fault of ["cut", { status: 500, body: { detail: "disk" } }] as const) {
      answer("models/bigram/tokenizer", fault);
      await expect(refusal(server.url)).rejects.toMatchObject({ code: "provider" });
    }
  });
});

describe("a sample that fails at the server", () => {
  it("is an event with an error, and the client's retries come first", async () => {
    const { server, answer } = await tinyLearner();
    const policy = await policyAt(server.url);
    answer("asample", { status: 422, body: { detail: "no such thing" } });
    const { record } = await throughLoop(policy, { limits });
    expect(record).toMatchObject({ end: "error", error: { boundary: "policy", code: "provider" }, trace: null });
    expect(record.error!.message).toMatch(/no such thing/);
    answer("asample", null);
    expect((await throughLoop(policy, { limits })).record.error).toBeNull();
  });

  it("ends at once when it is cancelled", async () => {
    const { server, answer } = await tinyLearner();
    const policy = await policyAt(server.url);
    answer("retrieve_future", "hang");
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 50);
    await expect(policy.sample({ ...memoryRequest(), signal: controller.signal })).rejects.toMatchObject({
      code: "cancelled",
    });
  });
});
