/** Results as servers may send them: half precision, torn, or noise. Whatever comes is read or is the server's fault in words. */
import { create, toBinary } from "@bufbuild/protobuf";
import { describe, expect, it } from "vitest";
import { UmaError } from "../../../base/errors.ts";
import { rng } from "../../../base/rng.ts";
import { bytesOf, float32FromBfloat16, int64From, widened } from "../../../learner/wire/array-bytes.ts";
import { forwardOutputFromJson, forwardOutputFromProto } from "../../../learner/wire/forward-output.ts";
import { jsonDialect } from "../../../learner/wire/json-dialect.ts";
import { protoDialect } from "../../../learner/wire/proto-dialect.ts";
import { sampleOutputFromJson, sampleOutputFromProto } from "../../../learner/wire/sample-output.ts";
import { DType, ForwardBackwardOutputSchema } from "../../../learner/wire/tinker_pb.ts";
import { readJson, readProto } from "../../support/tinker-server/read-forward-body.ts";
import { forwardProto, sampleProto } from "../../support/tinker-server/write-results.ts";

const done = { logprobs: [[-1, -2.5], [], [-0.25]], metrics: { "loss:sum": 3.75 } };

describe("numbers", () => {
  it("go out as views, and int32 widens to int64 with its sign", () => {
    const values = Float32Array.of(1, 2, 3);
    expect(bytesOf(values.subarray(1)).buffer).toBe(values.buffer);
    const ints = Int32Array.of(0, 1, -1, 2 ** 31 - 1, -(2 ** 31));
    expect(int64From(widened(ints))).toEqual(Array.from(ints));
  });

  it("come in as bfloat16 too", () => {
    const halves = Uint16Array.of(0x3f80, 0xc020, 0x0000, 0xff80);
    expect(Array.from(float32FromBfloat16(new Uint8Array(halves.buffer)))).toEqual([
      1,
      -2.5,
      0,
      Number.NEGATIVE_INFINITY,
    ]);
  });

  it("survive either dialect bit for bit, from views at any offset", () => {
    const random = rng(5, "wire");
    const floats = Float32Array.from({ length: 101 }, () => (random.next() - 0.5) * 10 ** random.int(-30, 30));
    floats.set([0, -0, 1, 2 ** 24 + 1, 1e-45, 3.4e38], 1);
    const ids = Int32Array.from({ length: 101 }, () => random.int(0, 2 ** 31 - 1));
    const datum = {
      modelInput: ids.subarray(1),
      lossFnInputs: { target_tokens: ids.subarray(0, -1), weights: floats.subarray(1) },
    };
    const call = { modelId: "m", seqId: 3, lossFn: "ppo", config: { a: 0.1 }, forwardOnly: true };
    const proto = protoDialect.body(call, [protoDialect.encodeDatum(datum).encoded]);
    const json = jsonDialect.body(call, [jsonDialect.encodeDatum(datum).encoded]);
    for (const read of [readProto(proto.bytes as Uint8Array), readJson(json.bytes as string, "forward")]) {
      expect({ ...read, data: null }).toEqual({ ...call, data: null });
      expect(read.data[0]!.tokens).toEqual(Array.from(datum.modelInput));
      expect(read.data[0]!.inputs.target_tokens).toEqual(Array.from(datum.lossFnInputs.target_tokens));
      expect(read.data[0]!.inputs.weights!.map((value) => Math.fround(value) + 0)).toEqual(
        Array.from(datum.lossFnInputs.weights, (value) => value + 0),
      );
    }
    expect([proto.route, json.route]).toEqual(["forward_backward", "forward"]);
  });

  it("take at most 20 bytes per token of ppo as protobuf, and the size that is reckoned is not below", () => {
    const n = 10_000;
    const datum = {
      modelInput: new Int32Array(n),
      lossFnInputs: {
        target_tokens: new Int32Array(n),
        logprobs: new Float32Array(n),
        advantages: new Float32Array(n),
      },
    };
    const { encoded, size } = protoDialect.encodeDatum(datum);
    const body = protoDialect.body({ modelId: "m", seqId: 1, lossFn: "ppo", config: {}, forwardOnly: false }, [
      encoded,
    ]);
    expect(body.size / n).toBeLessThan(20.05);
    expect(size).toBeGreaterThanOrEqual(body.size - 64);
  });
});

describe("a result", () => {
  it("gives each datum its own rows, the empty ones too", () => {
    const { logprobs, metrics } = forwardOutputFromProto(forwardProto(done));
    expect(logprobs.map((row) => Array.from(row))).toEqual(done.logprobs);
    expect(metrics).toEqual(done.metrics);
  });

  it.each<[string, object, RegExp]>([
    ["an unknown type", { dtype: 9 }, /numbers of type 9/],
    ["whole numbers", { dtype: DType.DTYPE_INT64 }, /numbers of type DTYPE_INT64/],
    ["offsets beyond the data", { offsets: bytesOf(BigInt64Array.of(0n, 99n)) }, /offsets do not fit/],
    [
      "offsets that turn back",
      { offsets: bytesOf(BigInt64Array.of(4n, 0n, 8n)) },
      /offsets do not fit|2 and said 1|said 1/,
    ],
    ["half an offset", { offsets: new Uint8Array(7) }, /7 bytes where numbers of 8/],
    ["half a number", { data: new Uint8Array(7) }, /7 bytes where numbers of 4/],
    ["no rows", { offsets: new Uint8Array(0), data: new Uint8Array(0) }, /offsets do not fit|0 and said 1/],
  ])("with %s is the server's fault", (_, wrong, message) => {
    const field = {
      data: bytesOf(Float32Array.of(1, 2)),
      offsets: bytesOf(BigInt64Array.of(0n, 8n)),
      dtype: DType.DTYPE_FLOAT32,
      ...wrong,
    };
    const output = create(ForwardBackwardOutputSchema, {
      lossFnOutputs: [{ numDatums: 1n, fields: { logprobs: field } }],
    });
    expect(() => forwardOutputFromProto(toBinary(ForwardBackwardOutputSchema, output))).toThrow(message);
  });

  it("of noise, or torn anywhere, never gets past the reader as something else than an error or a result", () => {
    const random = rng(1, "fuzz");
    const whole = [
      forwardProto(done),
      sampleProto({
        sequences: [{ tokens: [1, 2], logprobs: [-1, -2], stop: true }],
        promptLogprobs: [Number.NaN, -1],
      }),
    ];
    let refused = 0;
    for (let i = 0; i < 4_000; i++) {
      const bytes = random.pick(whole).slice(0, random.int(0, 200));
      for (let flips = random.int(0, 3); flips > 0 && bytes.length > 0; flips--)
        bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
      for (const read of [forwardOutputFromProto, sampleOutputFromProto]) {
        try {
          read(bytes);
        } catch (error) {
          refused += 1;
          expect(error).toBeInstanceOf(UmaError);
          expect((error as UmaError).code).toBe("provider");
        }
      }
    }
    expect(refused).toBeGreaterThan(1_000);
    for (const body of [
      null,
      1,
      "x",
      [],
      {},
      { sequences: 1 },
      { sequences: [{}] },
      { loss_fn_outputs: [{ logprobs: {} }] },
      { loss_fn_outputs: [1] },
    ])
      for (const read of [forwardOutputFromJson, sampleOutputFromJson]) expect(() => read(body)).toThrow(UmaError);
  });
});
