/** From an address to all that a token-exact policy needs: a session at the learner, its tokenizer, a sampler. */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { contentHash } from "../../base/hash.ts";
import { refuseSilence } from "../../learner/client/refuse-silence.ts";
import { createLearnerClient, type LearnerClient } from "../../learner/index.ts";
import type { LearnerOptions } from "../policy-options.ts";
import { type ChatFormat, chatFormat } from "../token-exact/chat-format.ts";
import type { ModelFiles } from "../token-exact/model-files.ts";
import { rewritingNotice } from "../token-exact/rewriting.ts";
import type { TokenExactOptions } from "../token-exact/token-exact-chat-model.ts";
import { learnerSampler } from "./learner-sampler.ts";
import { modelFilesOf } from "./model-files-of.ts";

export interface LearnerConnection {
  readonly client: LearnerClient;
  readonly model: TokenExactOptions;
}

/** What our own service says beyond the protocol; other servers do not. */
const Tokenizer = z.looseObject({ tokenizer: z.looseObject({ sha256: z.string() }).nullish().catch(null) });

/** Throws `config` for options that do not fit, `provider` when the server cannot be reached. */
export async function connectLearner(
  options: LearnerOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<LearnerConnection> {
  const given = options.baseURL ?? (env.TINKER_BASE_URL || undefined);
  if (given === undefined)
    throw new UmaError("config", "the learner policy needs the address of a learner, got none", {
      fix: "give --policy learner:http://127.0.0.1:8700 or --base-url, or set TINKER_BASE_URL",
    });
  const url = given.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
  const apiKey = options.apiKey ?? (env.TINKER_API_KEY || "tml-dummy");
  const { concurrency } = options;
  await refuseSilence(url);
  const client = await createLearnerClient({
    baseURL: url,
    apiKey,
    tags: ["umagraph"],
    ...(concurrency !== undefined && { limits: { samples: concurrency } }),
  });
  try {
    return { client, model: await exactModel(client, { ...options, url, apiKey }) };
  } catch (thrown) {
    await client.close();
    throw thrown;
  }
}

async function exactModel(
  client: LearnerClient,
  options: LearnerOptions & { readonly url: string; readonly apiKey: string },
): Promise<TokenExactOptions> {
  const { url, apiKey, model, tokenizer: folder, tokenizerHash, temperature, templateVariables } = options;
  const capabilities = await client.capabilities();
  const published = model?.startsWith("tinker://") ? model : undefined;
  const served = capabilities.supported_models;
  const wanted = published === undefined ? model : undefined;
  const base = wanted === undefined ? served[0] : served.find(({ model_name }) => model_name === wanted);
  const baseModel = base?.model_name ?? wanted;
  if (baseModel === undefined)
    throw new UmaError("config", `the server at ${url} does not say which models it serves`, {
      fix: "name one (model)",
    });
  const files = await modelFilesOf({
    url,
    apiKey,
    baseModel,
    folder,
    hashes: [tokenizerHash, Tokenizer.safeParse(capabilities).data?.tokenizer?.sha256],
  });
  const format = rememberedFormat(files, baseModel, templateVariables);
  const sampler = await client.createSampler(published === undefined ? { baseModel } : { modelPath: published });
  return {
    name: `learner:${published ?? baseModel}`,
    sampler: learnerSampler(sampler, { temperature, maxContext: base?.max_context_length ?? null }),
    format,
    allowMixedWeights: options.allowMixedWeights,
  };
}

let remembered: { readonly key: string; readonly format: ChatFormat } | null = null;

/** Reading a large vocabulary takes a second, and every publish makes a new policy for the same model. */
function rememberedFormat(
  files: ModelFiles,
  name: string,
  variables: Readonly<Record<string, unknown>> | undefined,
): ChatFormat {
  const key = JSON.stringify([
    name,
    contentHash(files.tokenizer),
    files.settings,
    files.template,
    files.endIds,
    variables,
  ]);
  if (remembered?.key !== key) {
    const format = chatFormat(files, { name, variables });
    const notice = rewritingNotice(format.rewriting);
    if (notice !== null) process.emitWarning(`${name}: ${notice}`);
    remembered = { key, format };
  }
  return remembered.format;
}
