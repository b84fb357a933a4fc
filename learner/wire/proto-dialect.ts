/** forward_backward as protobuf. Numbers of the config go into both fields that have existed for them. */
import { create, toBinary } from "@bufbuild/protobuf";
import { bytesOf, widened } from "./array-bytes.ts";
import { tensorsOf } from "./datum.ts";
import type { Dialect } from "./dialect.ts";
import {
  DatumSchema,
  DType,
  ForwardBackwardRequestSchema,
  LossConfigValueSchema,
  type Datum as ProtoDatum,
  TensorSchema,
} from "./tinker_pb.ts";

/** Names, lengths and tags of one datum, generously. */
const OVERHEAD = 256;

export const protoDialect: Dialect<ProtoDatum> = {
  name: "proto",
  encodeDatum(datum) {
    let size = OVERHEAD + datum.modelInput.byteLength;
    const lossFnInputs: ProtoDatum["lossFnInputs"] = {};
    for (const [name, values] of tensorsOf(datum)) {
      const whole = values instanceof Int32Array;
      const value = whole ? widened(values) : bytesOf(allFinite(values));
      size += value.byteLength;
      lossFnInputs[name] = create(TensorSchema, {
        encoding: { case: "dense", value },
        dtype: whole ? DType.DTYPE_INT64 : DType.DTYPE_FLOAT32,
        shape: [BigInt(values.length)],
      });
    }
    const tokens = bytesOf(datum.modelInput);
    const encoded = create(DatumSchema, {
      modelInput: [{ chunk: { case: "encodedText", value: { tokens } } }],
      lossFnInputs,
    });
    return { encoded, size };
  },
  body({ modelId, seqId, lossFn, config, forwardOnly }, data) {
    const numbers = Object.entries(config);
    const bytes = toBinary(
      ForwardBackwardRequestSchema,
      create(ForwardBackwardRequestSchema, {
        modelId,
        seqId,
        data: [...data],
        lossFn,
        lossFnConfig: config,
        lossFnConfigV2: Object.fromEntries(
          numbers.map(([name, value]) => [name, create(LossConfigValueSchema, { value: { case: "number", value } })]),
        ),
        forwardOnly,
      }),
    );
    return { route: "forward_backward", contentType: "application/x-protobuf", bytes, size: bytes.byteLength };
  },
};

/** What is not finite stands where it has no effect (checkDatum), and servers refuse it unseen: it goes out as 0. */
function allFinite(values: Float32Array): Float32Array {
  return values.every(Number.isFinite) ? values : values.map((value) => (Number.isFinite(value) ? value : 0));
}
