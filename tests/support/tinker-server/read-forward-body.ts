/** A forward_backward body of either dialect as plain arrays, or what is wrong with it. */
import { fromBinary } from "@bufbuild/protobuf";
import { DType, ForwardBackwardRequestSchema } from "../../../learner/wire/tinker_pb.ts";

export interface ReadDatum {
  readonly tokens: readonly number[];
  readonly inputs: Readonly<Record<string, readonly number[]>>;
}

export interface ReadCall {
  readonly modelId: string;
  readonly seqId: number;
  readonly lossFn: string;
  readonly config: Readonly<Record<string, number>>;
  readonly forwardOnly: boolean;
  readonly data: readonly ReadDatum[];
}

export function readProto(bytes: Uint8Array): ReadCall {
  const request = fromBinary(ForwardBackwardRequestSchema, bytes);
  const config = Object.fromEntries(
    Object.entries(request.lossFnConfigV2).map(([name, { value }]) => [
      name,
      value.case === "number" ? value.value : Number.NaN,
    ]),
  );
  if (JSON.stringify(config) !== JSON.stringify(request.lossFnConfig)) throw new Error("the two config fields differ");
  return {
    modelId: request.modelId,
    seqId: request.seqId,
    lossFn: request.lossFn,
    config,
    forwardOnly: request.forwardOnly,
    data: request.data.map(({ modelInput, lossFnInputs }) => ({
      tokens: modelInput.flatMap(({ chunk }) =>
        chunk.case === "encodedText" ? numbers(chunk.value.tokens, DType.DTYPE_INT32) : [],
      ),
      inputs: Object.fromEntries(
        Object.entries(lossFnInputs).map(([name, tensor]) => {
          const values = tensor.encoding.case === "dense" ? numbers(tensor.encoding.value, tensor.dtype) : [];
          if (Number(tensor.shape[0]) !== values.length) throw new Error(`${name}: shape and data differ`);
          return [name, values];
        }),
      ),
    })),
  };
}

function numbers(bytes: Uint8Array, dtype: DType): number[] {
  const { buffer } = new Uint8Array(bytes);
  switch (dtype) {
    case DType.DTYPE_FLOAT32:
      return Array.from(new Float32Array(buffer));
    case DType.DTYPE_INT32:
      return Array.from(new Int32Array(buffer));
    case DType.DTYPE_INT64:
      return Array.from(new BigInt64Array(buffer), Number);
    default:
      throw new Error(`unexpected type ${dtype}`);
  }
}

interface JsonInput {
  readonly loss_fn: string;
  readonly loss_fn_config?: Record<string, number>;
  readonly data: readonly {
    readonly model_input: { readonly chunks: readonly { readonly tokens: readonly number[] }[] };
    readonly loss_fn_inputs: Readonly<
      Record<string, { readonly data: readonly number[]; readonly shape: readonly number[] }>
    >;
  }[];
}

export function readJson(text: string, route: "forward" | "forward_backward"): ReadCall {
  const body = JSON.parse(text) as Record<string, unknown> & { readonly model_id: string; readonly seq_id: number };
  const input = body[`${route}_input`] as JsonInput;
  return {
    modelId: body.model_id,
    seqId: body.seq_id,
    lossFn: input.loss_fn,
    config: input.loss_fn_config ?? {},
    forwardOnly: route === "forward",
    data: input.data.map(({ model_input, loss_fn_inputs }) => ({
      tokens: model_input.chunks.flatMap(({ tokens }) => tokens),
      inputs: Object.fromEntries(
        Object.entries(loss_fn_inputs).map(([name, { data, shape }]) => {
          if (shape[0] !== data.length) throw new Error(`${name}: shape and data differ`);
          return [name, data];
        }),
      ),
    })),
  };
}
