/** The `embedded` policy (decisions §12): a small trained model in this process, without a server, exact to the token. */
import { existsSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { UmaError } from "../../base/errors.ts";
import type { Policy } from "../policy.ts";
import type { EmbeddedOptions } from "../policy-options.ts";
import { chatFormat } from "../token-exact/chat-format.ts";
import { readModelFiles } from "../token-exact/model-files.ts";
import { TokenExactChatModel } from "../token-exact/token-exact-chat-model.ts";
import { tokenExactPolicy } from "../token-exact/token-exact-policy.ts";
import { embeddedSampler } from "./embedded-sampler.ts";
import { readTrainedSessions, type TrainedSessions } from "./trained-sessions.ts";

export const embedded = async (options: EmbeddedOptions): Promise<Policy> =>
  tokenExactPolicy(await embeddedChatModel(options));

/** The same as a LangChain chat model, for any LangChain code. */
export async function embeddedChatModel(options: EmbeddedOptions = {}): Promise<TokenExactChatModel> {
  const folder = options.model ?? trainedModel();
  const name = options.model === undefined ? "embedded" : `embedded:${basename(resolve(options.model))}`;
  const [files, sampler] = await Promise.all([readModelFiles(folder), embeddedSampler(folder, options)]);
  return new TokenExactChatModel({ name, sampler, format: chatFormat(files, { name }) });
}

export const embeddedSessions = ({ model }: EmbeddedOptions): TrainedSessions | null =>
  readTrainedSessions(model ?? trainedModel());

/** assets/embedded-policy, of a clone or of the installed package. */
function trainedModel(): string {
  const here = dirname(fileURLToPath(import.meta.url));
  const folders = [join(here, "..", "..", "assets"), join(here, "..", "..", "..", "assets")];
  const found = folders.map((assets) => join(assets, "embedded-policy")).find((folder) => existsSync(folder));
  if (found !== undefined) return found;
  throw new UmaError("config", "the embedded policy has no model: there is no assets/embedded-policy", {
    fix: "train it with npm run build:policy (hours), or name a Qwen3 model folder with --model",
  });
}
