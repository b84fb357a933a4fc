/** The second half of making a policy: trains the prepared folder at a learner, from where an earlier run stopped. */
import { join } from "node:path";
import { UmaError } from "../../base/errors.ts";
import { createLearnerClient } from "../../learner/index.ts";
import { chatFormat } from "../../policies/token-exact/chat-format.ts";
import { readModelFiles } from "../../policies/token-exact/model-files.ts";
import { initialModelFolder } from "./prepare-policy.ts";
import { readExamples } from "./read-examples.ts";
import type { SupervisedRecipe } from "./recipe.ts";
import type { Example } from "./supervised-batch.ts";
import { type SupervisedReport, trainSupervised } from "./train-supervised.ts";

export interface TrainPolicyOptions {
  /** Where `preparePolicy` wrote. */
  readonly folder: string;
  readonly recipe: SupervisedRecipe;
  /** A learner that serves the folder's initial model. */
  readonly learner: string;
  readonly onReport?: (report: SupervisedReport) => void;
  readonly signal?: AbortSignal;
}

/** Gives the name under which the weights of the last step are published. */
export async function trainPolicy({ folder, recipe, learner, onReport, signal }: TrainPolicyOptions): Promise<string> {
  const files = await readModelFiles(initialModelFolder(folder));
  const format = chatFormat(files);
  const read = (file: string, limit?: number) =>
    readExamples(join(folder, file), {
      format,
      template: files.template,
      maxTokens: recipe.maxTokens,
      ...(limit !== undefined && { limit }),
    });
  const examples: Example[] = [];
  for (const { file, trained = true } of recipe.sets) if (trained) examples.push(...(await read(file)));
  const heldOut = await read(recipe.heldOut.file, recipe.heldOut.count);
  const client = await createLearnerClient({ baseURL: learner, tags: ["umagraph", "sft"], ...(signal && { signal }) });
  try {
    const [served] = (await client.capabilities()).supported_models;
    if (!served?.model_name)
      throw new UmaError("provider", `the learner at ${learner} does not say which model it serves`);
    const name = (step: number) => `policy-${step}`;
    await trainSupervised({
      ...recipe,
      ...{ client, baseModel: served.model_name, folder, examples, heldOut, resume: true },
      ...(signal && { signal }),
      ...(onReport && { onReport }),
      onCheckpoint: async (model, step) => void (await model.publish({ name: name(step) })),
    });
    return name(recipe.steps);
  } finally {
    await client.close();
  }
}
