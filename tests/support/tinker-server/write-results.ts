/** Results in either dialect. */
import { create, toBinary } from "@bufbuild/protobuf";
import {
  DType,
  ForwardBackwardOutputSchema,
  SampleResponseSchema,
  StopReason,
} from "../../../learner/wire/tinker_pb.ts";
import type { ForwardDone, SampleDone } from "./trained.ts";

const bytes = (values: Float32Array | Int32Array | BigInt64Array) =>
  new Uint8Array(values.buffer, values.byteOffset, values.byteLength);

export function forwardProto({ logprobs, metrics }: ForwardDone): Uint8Array {
  const offsets = [0n];
  for (const row of logprobs) offsets.push(offsets.at(-1)! + BigInt(4 * row.length));
  const output = create(ForwardBackwardOutputSchema, {
    lossFnOutputType: "TokenLogprobs",
    lossFnOutputs: [
      {
        typeTag: "TokenLogprobs",
        numDatums: BigInt(logprobs.length),
        fields: {
          logprobs: {
            data: bytes(Float32Array.from(logprobs.flat())),
            offsets: bytes(BigInt64Array.from(offsets)),
            dtype: DType.DTYPE_FLOAT32,
          },
        },
      },
    ],
    metrics,
  });
  return toBinary(ForwardBackwardOutputSchema, output);
}

export function forwardJson({ logprobs, metrics }: ForwardDone): object {
  return {
    loss_fn_output_type: "TokenLogprobs",
    loss_fn_outputs: logprobs.map((row) => ({
      logprobs: { data: row.map(Math.fround), dtype: "float32", shape: [row.length] },
    })),
    metrics,
  };
}

export function sampleProto({ sequences, promptLogprobs }: SampleDone): Uint8Array {
  const response = create(SampleResponseSchema, {
    sequences: sequences.map(({ tokens, logprobs, stop }) => ({
      stopReason: stop ? StopReason.STOP : StopReason.LENGTH,
      tokens: bytes(Int32Array.from(tokens)),
      logprobs: bytes(Float32Array.from(logprobs)),
    })),
    ...(promptLogprobs && { promptLogprobs: bytes(Float32Array.from(promptLogprobs)) }),
  });
  return toBinary(SampleResponseSchema, response);
}

export function sampleJson({ sequences, promptLogprobs }: SampleDone): object {
  return {
    type: "sample",
    sequences: sequences.map(({ tokens, logprobs, stop }) => ({
      tokens,
      logprobs: logprobs.map(Math.fround),
      stop_reason: stop ? "stop" : "length",
    })),
    prompt_logprobs: promptLogprobs?.map((x) => (Number.isNaN(x) ? null : Math.fround(x))) ?? null,
  };
}
