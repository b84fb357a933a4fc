import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { loadModel } from "../../../policies/embedded/load-model.ts";
import { readSafetensors } from "../../../policies/embedded/safetensors.ts";
import { folders } from "./golden-models.ts";

const parent = mkdtempSync(join(tmpdir(), "umagraph-broken-"));
afterAll(() => rmSync(parent, { recursive: true }));
let copies = 0;

function copyWith(change: {
  weights?: (file: Buffer) => Buffer;
  config?: (config: Record<string, unknown>) => object;
}) {
  const folder = join(parent, `copy-${++copies}`);
  cpSync(folders.tied, folder, { recursive: true });
  const [weights, config] = [join(folder, "model.safetensors"), join(folder, "config.json")];
  if (change.weights) writeFileSync(weights, change.weights(readFileSync(weights)));
  if (change.config)
    writeFileSync(
      config,
      JSON.stringify(change.config(JSON.parse(readFileSync(config, "utf8")) as Record<string, unknown>)),
    );
  return folder;
}

type Header = Record<string, { dtype: string; shape: number[]; data_offsets: [number, number] }>;

/** The file with another header. */
const reheaded = (change: (header: Header) => void) => (file: Buffer) => {
  const length = Number(file.readBigUInt64LE());
  const header = JSON.parse(file.toString("utf8", 8, 8 + length)) as Header;
  change(header);
  return safetensors(header, file.subarray(8 + length));
};
function safetensors(header: object, data: Uint8Array): Buffer {
  const text = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(8);
  size.writeBigUInt64LE(BigInt(text.length));
  return Buffer.concat([size, text, data]);
}

const down = "model.layers.1.mlp.down_proj.weight";

describe("weights that cannot be used are refused with a sentence", () => {
  it.each<[string, (file: Buffer) => Buffer, RegExp]>([
    ["empty", () => Buffer.alloc(0), /expected a safetensors file, got 0 bytes/],
    [
      "text",
      () => Buffer.from("version https://git-lfs.github.com/spec/v1"),
      /its header should have \d+ bytes, the file has 42/,
    ],
    ["cut in the header", (file) => file.subarray(0, 200), /its header should have \d+ bytes, the file has 200/],
    ["cut in the numbers", (file) => file.subarray(0, -100), /ends \d+ bytes behind the end of the file/],
    [
      "a damaged header",
      (file) => Buffer.concat([file.subarray(0, 8), Buffer.from("}"), file.subarray(9)]),
      /its header cannot be read/,
    ],
    [
      "no such tensor",
      reheaded((header) => delete header[down]),
      /there is no model\.layers\.1\.mlp\.down_proj\.weight in it/,
    ],
    [
      "another shape",
      reheaded((header) => (header[down]!.shape = [48, 32])),
      /has the shape \[48,32\], expected \[32,48\]/,
    ],
    [
      "a shape of another size",
      reheaded((header) => (header[down]!.shape = [32, 47])),
      /should have 3008 bytes for its shape \[32,47\], got 3072/,
    ],
    ["integers", reheaded((header) => (header[down]!.dtype = "I16")), /holds I16 numbers, expected F32, F16 or BF16/],
    ["a name of Object's", reheaded((header) => (header[down]!.dtype = "constructor")), /holds constructor numbers/],
    ["no place", reheaded((header) => (header[down] = {} as never)), /the header does not say what model\.layers\.1/],
    [
      "a tensor too many",
      reheaded((header) => (header["model.layers.0.self_attn.q_proj.bias"] = header["model.norm.weight"]!)),
      /it holds model\.layers\.0\.self_attn\.q_proj\.bias, which this model does not have/,
    ],
    [
      "numbers that are none",
      (file) => Buffer.concat([file.subarray(0, -2), Buffer.from([0x00, 0x7e])]),
      /number \d+ of .* is NaN/,
    ],
  ])("%s", async (_, weights, message) => {
    await expect(loadModel(copyWith({ weights }))).rejects.toMatchObject({
      code: "input",
      message: expect.stringMatching(message),
      fix: expect.any(String),
    });
  });

  it("a file that is not there", async () => {
    await expect(loadModel(join(parent, "nowhere"))).rejects.toMatchObject({
      code: "input",
      message: expect.stringMatching(/there is no config\.json in .*nowhere/),
    });
  });
});

describe("a model of another kind is refused by its config.json", () => {
  it.each<[string, object, RegExp]>([
    ["another architecture", { model_type: "llama", architectures: ["LlamaForCausalLM"] }, /this is "llama"/],
    ["another head", { architectures: ["Qwen3ForSequenceClassification"] }, /this is Qwen3ForSequenceClassification/],
    ["biases", { attention_bias: true }, /biases/],
    ["a window", { use_sliding_window: true }, /sliding window/],
    ["a windowed layer", { layer_types: ["full_attention", "sliding_attention"] }, /sliding_attention/],
    ["another activation", { hidden_act: "gelu" }, /gelu/],
    ["scaled positions", { rope_parameters: { rope_type: "yarn", rope_theta: 1e4 } }, /yarn/],
    [
      "scaled positions, as they were written",
      { rope_parameters: null, rope_scaling: { type: "linear", factor: 2 } },
      /linear/,
    ],
    ["quantization", { quantization_config: { bits: 4 } }, /quantized/],
    ["an odd width", { hidden_size: 40 }, /its width is 40, expected a multiple of 16/],
    ["heads that do not divide", { num_key_value_heads: 3 }, /4 query heads cannot share 3 key heads/],
  ])("%s", async (_, change, message) => {
    const folder = copyWith({ config: (config) => ({ ...config, ...change }) });
    await expect(loadModel(folder)).rejects.toMatchObject({ code: "config", message: expect.stringMatching(message) });
  });

  it("a config.json with a hole, or that is none, is named", async () => {
    const hole = copyWith({ config: ({ head_dim: _, ...config }) => config });
    await expect(loadModel(hole)).rejects.toMatchObject({ code: "input", message: expect.stringMatching(/head_dim/) });
    const other = copyWith({ config: (config) => ({ ...config, intermediate_size: 64 }) });
    await expect(loadModel(other)).rejects.toThrow(/gate_proj\.weight has the shape \[48,32\], expected \[64,32\]/);
    const folder = copyWith({});
    writeFileSync(join(folder, "config.json"), "{");
    await expect(loadModel(folder)).rejects.toThrow(/config\.json is not JSON/);
  });

  it("the position base is read in the older form too", async () => {
    const folder = copyWith({ config: ({ rope_parameters: _, ...config }) => ({ ...config, rope_theta: 5_000 }) });
    expect((await loadModel(folder)).config.ropeBase).toBe(5_000);
  });
});

describe("numbers of a safetensors file", () => {
  it("are read from each of the three widths, subnormal ones included", () => {
    const values = [1, -2.5, 0, 2 ** -14, 2 ** -24, 65_504];
    const halves = Uint16Array.of(0x3c00, 0xc100, 0x0000, 0x0400, 0x0001, 0x7bff);
    const read = (dtype: string, data: Uint8Array) =>
      readSafetensors(safetensors({ x: { dtype, shape: [6], data_offsets: [0, data.length] } }, data), "x")
        .get("x")!
        .values();
    const bytes = (array: Uint16Array | Float32Array) => new Uint8Array(array.buffer);
    expect([...read("F16", bytes(halves))]).toEqual(values);
    expect([...read("F32", bytes(Float32Array.from(values)))]).toEqual([...Float32Array.from(values)]);
    const upper = Uint16Array.of(0x3f80, 0xc020, 0x0000, 0x3880, 0x4000, 0xc2f6);
    expect([...read("BF16", bytes(upper))]).toEqual([1, -2.5, 0, 2 ** -14, 2, -123]);
  });
});
