/** What a forward_backward gives back, read from either dialect. */
import { fromBinary } from "@bufbuild/protobuf";
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { float32From, float32FromBfloat16, int64From } from "./array-bytes.ts";
import { parseReply } from "./parse-reply.ts";
import { type BatchedTensor, DType, ForwardBackwardOutputSchema } from "./tinker_pb.ts";

export interface ForwardOutput {
  /** log p(target) in nats: an array per datum, a number per target, in the order the datums were given. */
  readonly logprobs: readonly Float32Array[];
  /** Names end in how they are merged over parts: `loss:sum`. */
  readonly metrics: Readonly<Record<string, number>>;
}

export function forwardOutputFromProto(bytes: Uint8Array): ForwardOutput {
  const output = parseReply("the result of forward_backward", () => fromBinary(ForwardBackwardOutputSchema, bytes));
  const logprobs = output.lossFnOutputs.flatMap(({ fields, numDatums }) => {
    const rows = fields.logprobs ? rowsOf(fields.logprobs) : [];
    if (rows.length !== Number(numDatums))
      throw new UmaError(
        "provider",
        `the server sent log-probabilities of ${rows.length} datums and said ${numDatums}`,
      );
    return rows;
  });
  return { logprobs, metrics: output.metrics };
}

function rowsOf({ data, offsets, dtype }: BatchedTensor): Float32Array[] {
  const [read, width] = readers[dtype] ?? unknownType(dtype);
  const numbers = read(data);
  const cuts = int64From(offsets).map((offset) => offset / width);
  if (cuts.some((cut, i) => !Number.isInteger(cut) || cut < (cuts[i - 1] ?? 0)) || cuts.at(-1) !== numbers.length)
    throw new UmaError("provider", "the server sent rows of log-probabilities whose offsets do not fit the data");
  return cuts.slice(1).map((end, i) => numbers.subarray(cuts[i], end));
}

const readers: Partial<Record<DType, readonly [(bytes: Uint8Array) => Float32Array, number]>> = {
  [DType.DTYPE_FLOAT32]: [float32From, 4],
  [DType.DTYPE_BFLOAT16]: [float32FromBfloat16, 2],
};

function unknownType(dtype: DType): never {
  throw new UmaError("provider", `the server sent log-probabilities as numbers of type ${DType[dtype] ?? dtype}`, {
    fix: "float32 and bfloat16 are known; the server is newer than this client or wrong",
  });
}

const Json = z.looseObject({
  loss_fn_outputs: z.array(z.looseObject({ logprobs: z.looseObject({ data: z.array(z.number()) }).optional() })),
  metrics: z.record(z.string(), z.number().nullable()).nullish(),
});

export function forwardOutputFromJson(body: unknown): ForwardOutput {
  const { loss_fn_outputs, metrics } = parseReply("the result of forward_backward", () => Json.parse(body));
  return {
    logprobs: loss_fn_outputs.map(({ logprobs }) => Float32Array.from(logprobs?.data ?? [])),
    metrics: Object.fromEntries(
      Object.entries(metrics ?? {}).filter((entry): entry is [string, number] => entry[1] !== null),
    ),
  };
}
