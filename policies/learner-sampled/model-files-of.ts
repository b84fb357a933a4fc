/**
 * Tokenizer and chat template of a learner's model: from the server, which our own service gives out, or from a folder.
 *
 * Ids mean nothing without the tokenizer that the model was trained with, so what was got is compared with the hash that
 * the server tells, or that the user gives.
 */
import { createHash } from "node:crypto";
import { messageOf, UmaError } from "../../base/errors.ts";
import { type ModelFiles, modelFiles, readModelFiles } from "../token-exact/model-files.ts";

export interface ModelFilesOptions {
  /** The server's root, without /api/v1. */
  readonly url: string;
  readonly apiKey: string;
  /** As the server names it. */
  readonly baseModel: string;
  /** A model folder instead of the server. */
  readonly folder?: string | undefined;
  /** SHA-256 of tokenizer.json, from each side that knows it. */
  readonly hashes: readonly (string | null | undefined)[];
  readonly signal?: AbortSignal;
}

/** Throws `config` when the hash is another, or when nothing is to be had; `provider` when the server does not answer. */
export async function modelFilesOf(options: ModelFilesOptions): Promise<ModelFiles> {
  const { folder, baseModel } = options;
  const files = folder === undefined ? await fromServer(options) : await readModelFiles(folder);
  const hash = createHash("sha256").update(files.tokenizer).digest("hex");
  const other = options.hashes.find((expected) => expected != null && expected !== hash);
  if (other != null)
    throw new UmaError(
      "config",
      `the tokenizer from ${folder ?? "the learner"} is not the one of ${baseModel}: expected tokenizer.json with SHA-256 ${other}, got ${hash}`,
      { fix: "give the folder of the very model that the server runs, or leave it out to ask the server" },
    );
  return files;
}

async function fromServer(options: ModelFilesOptions): Promise<ModelFiles> {
  const [tokenizer, settings] = await Promise.all([
    download("tokenizer", options),
    download("tokenizer_config", options),
  ]);
  if (tokenizer === null)
    throw new UmaError("config", `the server at ${options.url} gives out no tokenizer for ${options.baseModel}`, {
      fix: "name a local copy of the model's folder, with tokenizer.json and chat template (tokenizer)",
    });
  return modelFiles({ tokenizer, settings }, options.baseModel);
}

/** Null where there is no such file or route. */
async function download(what: string, { url, apiKey, baseModel, signal }: ModelFilesOptions): Promise<string | null> {
  const name = baseModel.split("/").filter(Boolean).map(encodeURIComponent).join("/");
  const timeout = AbortSignal.timeout(60_000);
  try {
    const response = await fetch(`${url}/api/v1/models/${name}/${what}`, {
      headers: { "X-API-Key": apiKey },
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
    });
    const text = await response.text();
    if (response.ok) return text;
    if ([404, 405, 501].includes(response.status)) return null;
    throw new Error(`it answered ${response.status}: ${text.slice(0, 200)}`);
  } catch (cause) {
    if (signal?.aborted)
      throw new UmaError("cancelled", "stopped while asking the learner for its tokenizer", { cause });
    throw new UmaError("provider", `the tokenizer could not be had from ${url}: ${messageOf(cause)}`, { cause });
  }
}
