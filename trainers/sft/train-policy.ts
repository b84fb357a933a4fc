/** The second half of making a policy: trains the prepared folder at a learner, from where an earlier run stopped. */
import { join } from "node:path";
import { UmaError } from "../../base/errors.ts";
import { createLearnerClient, type LearnerClientOptions } from "../../learner/index.ts";
import { chatFormat } from "../../policies/token-exact/chat-format.ts";
import { readModelFiles } from "../../policies/token-exact/model-files.ts";
import type { SupervisedRecipe } from "../recipes/sft-recipe.ts";
import { initialModelFolder } from "./prepare-policy.ts";
import { readExamples } from "./read-examples.ts";
import type { Example } from "./supervised-batch.ts";
import { type SupervisedReport, trainSupervised } from "./train-supervised.ts";

export interface TrainPolicyOptions {
  /** Where `preparePolicy` wrote. */
  readonly folder: string;
  readonly recipe: SupervisedRecipe;
  /** A learner that serves the folder's initial model. */
  readonly learner: Pick<LearnerClientOptions, "baseURL" | "apiKey" | "profile">;
  /** Told that sessions are being encoded, which takes minutes once. */
  readonly say?: (line: string) => void;
  readonly onReport?: (report: SupervisedReport) => void;
  readonly signal?: AbortSignal;
}

/** Gives the learner's path of the published weights of the last step. */
export async function trainPolicy(options: TrainPolicyOptions): Promise<string> {
  const { folder, recipe, learner, say = () => {}, onReport, signal } = options;
  const files = await readModelFiles(initialModelFolder(folder));
  const format = chatFormat(files);
  const read = (file: string, limit?: number) => {
    say(`token sequences of ${file}`);
    return readExamples(join(folder, file), {
      format,
      template: files.template,
      maxTokens: recipe.maxTokens,
      ...(limit !== undefined && { limit }),
    });
  };
  const examples: Example[] = [];
  for (const { file, trained = true } of recipe.sets)
    if (trained) for (const one of await read(file)) examples.push(one);
  const heldOut = await read(recipe.heldOut.file, recipe.heldOut.count);
  const client = await createLearnerClient({ ...learner, tags: ["umagraph", "sft"], ...(signal && { signal }) });
  try {
    const [served] = (await client.capabilities()).supported_models;
    if (!served?.model_name)
      throw new UmaError("provider", `the learner at ${learner.baseURL} does not say which model it serves`);
    const model = await trainSupervised({
      ...recipe,
      ...{ client, baseModel: served.model_name, folder, examples, heldOut, resume: true },
      ...(signal && { signal }),
      ...(onReport && { onReport }),
    });
    const sampler = await model.publish({ name: `policy-${recipe.steps}`, ...(signal && { signal }) });
    return sampler.weightVersion;
  } finally {
    await client.close();
  }
}
