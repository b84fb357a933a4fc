/**
 * Sampling from one fixed set of weights: token ids in, token ids and log-probabilities out.
 *
 * Sampling changes nothing, so a sample whose result was lost is simply asked for again, under a new number.
 */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { parseReply } from "../wire/parse-reply.ts";
import { type SampleOutput, sampleOutputFromJson, sampleOutputFromProto } from "../wire/sample-output.ts";
import { abortable } from "./abortable.ts";
import { sleep } from "./backoff.ts";
import type { ByteBudget } from "./byte-budget.ts";
import { type Link, NoAnswer, type Reply } from "./link.ts";
import { poll, type Result, ResultLost } from "./poll.ts";
import { refusal } from "./refusal.ts";
import { submit } from "./submit.ts";

export interface SampleRequest {
  readonly prompt: Int32Array;
  readonly maxTokens: number;
  /** Default 1. */
  readonly numSamples?: number;
  /** Default 1, which is what training assumes. */
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly seed?: number;
  /** Token ids or strings; none = the model's own end; an empty list never stops. */
  readonly stop?: readonly number[] | readonly string[];
  readonly signal?: AbortSignal;
}

export interface Sample {
  readonly tokens: Int32Array;
  /** log p of each token in nats. */
  readonly logprobs: Float32Array;
  readonly stopReason: "stop" | "length";
}

export interface Sampler {
  /** The server's name of these weights: another for every publish. */
  readonly weightVersion: string;
  /** Optimiser steps taken through this client when they were published; null for a base model or a saved path. */
  readonly step: number | null;
  sample(request: SampleRequest): Promise<Sample[]>;
  /** log p of each token given those before it; the first is NaN. */
  computeLogprobs(tokens: Int32Array, options?: { readonly signal?: AbortSignal }): Promise<Float32Array>;
}

export interface SamplerWiring {
  readonly link: Link;
  readonly protoResults: boolean;
  readonly dispatch: ByteBudget;
  readonly inflight: ByteBudget;
  /** How many samples may be under way: a budget of ones. */
  readonly slots: ByteBudget;
}

export interface SamplerOptions {
  readonly sessionId: string;
  readonly weightVersion: string;
  readonly step: number | null;
}

/** Above this, a refused sample is large, and waits longer. */
const LARGE = 128 * 1024;

const Accepted = z.looseObject({ request_id: z.string() });

export function createSampler(wiring: SamplerWiring, { sessionId, weightVersion, step }: SamplerOptions): Sampler {
  let following = 0;
  const ask = async (request: SampleRequest, promptLogprobs: boolean): Promise<SampleOutput> => {
    checkPrompt(request.prompt);
    const give = await wiring.slots.take(1, request.signal ?? wiring.link.signal);
    try {
      for (let resubmits = 0; ; resubmits++) {
        try {
          const result = await sampleOnce(
            wiring,
            bodyOf(request, promptLogprobs, sessionId, following++),
            request.signal,
          );
          return "proto" in result ? sampleOutputFromProto(result.proto) : sampleOutputFromJson(result.json);
        } catch (thrown) {
          if (!(thrown instanceof ResultLost) || resubmits >= wiring.link.limits.sampleResubmits) throw thrown;
        }
      }
    } finally {
      give();
    }
  };
  return {
    weightVersion,
    step,
    async sample(request) {
      const { sequences } = await ask(request, false);
      const expected = request.numSamples ?? 1;
      if (sequences.length !== expected)
        throw new UmaError("provider", `the learner sent ${sequences.length} samples, ${expected} were asked for`);
      return sequences.map(({ tokens, logprobs, stopReason }) => {
        if (logprobs?.length !== tokens.length)
          throw new UmaError(
            "provider",
            `the learner sent ${logprobs?.length ?? "no"} log-probabilities for ${tokens.length} sampled tokens`,
            {
              fix: "training needs one for each; choose an engine whose sampler gives them",
            },
          );
        return { tokens, logprobs, stopReason };
      });
    },
    async computeLogprobs(tokens, { signal } = {}) {
      const { promptLogprobs } = await ask({ prompt: tokens, maxTokens: 1, ...(signal && { signal }) }, true);
      if (promptLogprobs?.length !== tokens.length)
        throw new UmaError(
          "provider",
          `the learner scored ${promptLogprobs?.length ?? "none"} of a prompt's ${tokens.length} tokens`,
          {
            fix: "choose an engine whose sampler scores prompts, or score with forward",
          },
        );
      return promptLogprobs;
    },
  };
}

async function sampleOnce(wiring: SamplerWiring, body: string, signal: AbortSignal | undefined): Promise<Result> {
  const { link, dispatch, inflight, protoResults } = wiring;
  const release = await dispatch.take(body.length, signal ?? link.signal);
  let reply: Reply;
  try {
    reply = await submitSample(link, body, signal);
  } finally {
    release();
  }
  if (reply.status >= 300) throw refusal(link, "asample", reply);
  const { request_id: requestId } = parseReply("the answer to asample", () =>
    Accepted.parse(JSON.parse(new TextDecoder().decode(reply.bytes))),
  );
  return abortable(
    poll(link, { requestId, kind: "Sample", proto: protoResults, budget: inflight, signal }),
    signal,
    "stopped while sampling",
  );
}

/** 429 is how a sampler says that it is full; there is no end to asking. */
async function submitSample(link: Link, body: string, signal: AbortSignal | undefined): Promise<Reply> {
  const { backpressureMs, requestMs } = link.limits;
  for (;;) {
    const headers = { "X-Tinker-Sampling-Backpressure": "1" };
    const reply = await link
      .ask("POST", "asample", { body, headers, timeoutMs: requestMs, signal })
      .catch((thrown: unknown) => {
        if (thrown instanceof NoAnswer) return null;
        throw thrown;
      });
    if (reply?.status === 429)
      await sleep(body.length > LARGE ? 5 * backpressureMs : backpressureMs, signal ?? link.signal);
    else if (reply && reply.status !== 408 && reply.status < 500) return reply;
    else return submit(link, { route: "asample", body, headers, repeatable: true, signal });
  }
}

function bodyOf(request: SampleRequest, promptLogprobs: boolean, sessionId: string, seqId: number): string {
  const settings = JSON.stringify({
    sampling_session_id: sessionId,
    seq_id: seqId,
    num_samples: request.numSamples ?? 1,
    sampling_params: {
      max_tokens: request.maxTokens,
      temperature: request.temperature ?? 1,
      top_p: request.topP ?? 1,
      top_k: request.topK ?? -1,
      ...(request.seed !== undefined && { seed: request.seed }),
      ...(request.stop !== undefined && { stop: request.stop }),
    },
    prompt_logprobs: promptLogprobs,
    type: "sample",
  });
  return `{"prompt":{"chunks":[{"type":"encoded_text","tokens":[${request.prompt.join()}]}]},${settings.slice(1)}`;
}

function checkPrompt(prompt: Int32Array): void {
  if (prompt.length === 0) throw new UmaError("input", "expected a prompt of at least one token, got none");
  const at = prompt.findIndex((id) => id < 0);
  if (at >= 0) throw new UmaError("input", `prompt: expected token ids from 0, got ${prompt[at]} at position ${at}`);
}
