/** What asample gives back, read from either dialect. Token ids and log-probabilities are the sampler's own, never re-encoded. */
import { fromBinary } from "@bufbuild/protobuf";
import { z } from "zod";
import { float32From, int32From } from "./array-bytes.ts";
import { parseReply } from "./parse-reply.ts";
import { SampleResponseSchema, StopReason } from "./tinker_pb.ts";

export interface SampledSequence {
  readonly tokens: Int32Array;
  /** log p of each token in nats; null where the server gave none. */
  readonly logprobs: Float32Array | null;
  readonly stopReason: "stop" | "length";
}

export interface SampleOutput {
  readonly sequences: readonly SampledSequence[];
  /** One per prompt token, NaN where there is no score (the first); null unless asked for. */
  readonly promptLogprobs: Float32Array | null;
}

export function sampleOutputFromProto(bytes: Uint8Array): SampleOutput {
  const { sequences, promptLogprobs } = parseReply("the result of asample", () =>
    fromBinary(SampleResponseSchema, bytes),
  );
  return {
    sequences: sequences.map(({ tokens, logprobs, stopReason }) => ({
      tokens: int32From(tokens),
      logprobs: logprobs === undefined ? null : float32From(logprobs),
      stopReason: stopReason === StopReason.LENGTH ? "length" : "stop",
    })),
    promptLogprobs: promptLogprobs === undefined ? null : float32From(promptLogprobs),
  };
}

const Json = z.looseObject({
  sequences: z.array(
    z.looseObject({
      tokens: z.array(z.int()),
      logprobs: z.array(z.number()).nullish(),
      stop_reason: z.enum(["stop", "length"]),
    }),
  ),
  prompt_logprobs: z.array(z.number().nullable()).nullish(),
});

export function sampleOutputFromJson(body: unknown): SampleOutput {
  const { sequences, prompt_logprobs } = parseReply("the result of asample", () => Json.parse(body));
  return {
    sequences: sequences.map(({ tokens, logprobs, stop_reason }) => ({
      tokens: Int32Array.from(tokens),
      logprobs: logprobs ? Float32Array.from(logprobs) : null,
      stopReason: stop_reason,
    })),
    promptLogprobs: prompt_logprobs ? Float32Array.from(prompt_logprobs, (value) => value ?? Number.NaN) : null,
  };
}
