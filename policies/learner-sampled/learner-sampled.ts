/** The `learner` policy (decisions §7): token ids in, token ids and log-probabilities out, through the learner's sampler. */
import type { Policy } from "../policy.ts";
import type { LearnerOptions } from "../policy-options.ts";
import { tokenExactPolicy } from "../token-exact/token-exact-policy.ts";
import { LearnerChatModel } from "./learner-chat-model.ts";

export interface LearnerPolicy extends Policy {
  close(): Promise<void>;
}

export async function learnerSampled(
  options: LearnerOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<LearnerPolicy> {
  const model = await LearnerChatModel.connect(options, env);
  return { ...tokenExactPolicy(model), close: () => model.close() };
}
