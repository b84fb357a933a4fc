/**
 * Teacher sessions from JSON lines, made token sequences for one tokenizer and template. What was encoded once lies beside
 * the file, so a run that is resumed begins at once.
 */
import { createReadStream, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { UmaError } from "../../base/errors.ts";
import { contentHash } from "../../base/hash.ts";
import type { ChatFormat } from "../../policies/token-exact/chat-format.ts";
import { sessionTrace } from "./session-trace.ts";
import type { Example } from "./supervised-batch.ts";
import { SupervisedSession } from "./supervised-session.ts";

export interface ReadExamplesOptions {
  readonly format: ChatFormat;
  /** Jinja source: with the tokenizer it decides what the sequences are. */
  readonly template: string;
  /** Sessions longer than this are left out. */
  readonly maxTokens: number;
  /** Most sessions to take. */
  readonly limit?: number;
}

/** Throws `input` for a line that is no session. */
export async function readExamples(path: string, options: ReadExamplesOptions): Promise<Example[]> {
  const { maxTokens, limit = Number.POSITIVE_INFINITY } = options;
  const { size } = statSync(path);
  const key = contentHash(JSON.stringify([options.format.tokenizer.hash, options.template, size])).slice(0, 16);
  const cache = `${path}.${key}`;
  if (!existsSync(`${cache}.json`)) await encodeFile(path, cache, options);
  return readCache(path, cache, (length) => length <= maxTokens).slice(0, limit);
}

/** Of each sequence: line of the file, stage (0 memory, 1 QA), length. */
type Index = readonly (readonly [line: number, stage: number, length: number])[];

async function encodeFile(path: string, cache: string, { format }: ReadExamplesOptions): Promise<void> {
  const index: [number, number, number][] = [];
  const ids: Int32Array[] = [];
  const masks: Uint8Array[] = [];
  let line = 0;
  for await (const text of createInterface({ input: createReadStream(path) })) {
    line++;
    if (text === "") continue;
    const parsed = SupervisedSession.safeParse(JSON.parse(text));
    if (!parsed.success)
      throw new UmaError("input", `${path}, line ${line}: no teacher session (${parsed.error.issues[0]?.message})`);
    const { id, stage, messages } = parsed.data;
    for (const part of sessionTrace(messages, format, id)) {
      index.push([line, stage === "memory" ? 0 : 1, part.ids.length]);
      ids.push(part.ids);
      masks.push(part.mask);
    }
  }
  const bytes = (arrays: readonly (Int32Array | Uint8Array)[]) =>
    Buffer.concat(arrays.map((array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength)));
  writeFileSync(`${cache}.ids`, bytes(ids));
  writeFileSync(`${cache}.mask`, bytes(masks));
  // last: whoever finds it finds the others whole
  writeFileSync(`${cache}.json`, JSON.stringify(index));
}

function readCache(path: string, cache: string, wanted: (length: number) => boolean): Example[] {
  const index = JSON.parse(readFileSync(`${cache}.json`, "utf8")) as Index;
  // a copy begins at a whole number, which a view of Node's buffer need not
  const ids = new Int32Array(new Uint8Array(readFileSync(`${cache}.ids`)).buffer);
  const mask = new Uint8Array(readFileSync(`${cache}.mask`));
  let at = 0;
  return index.flatMap(([line, stage, length]) => {
    const start = at;
    at += length;
    if (!wanted(length)) return [];
    const part = {
      ids: ids.subarray(start, at),
      mask: mask.subarray(start, at),
      sampler: new Float32Array(length),
    };
    return [{ id: `${path}:${line}:${start}`, stage: stage === 0 ? ("memory" as const) : ("qa" as const), part }];
  });
}
