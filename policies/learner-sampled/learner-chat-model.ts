/**
 * The learner's sampler as a LangChain chat model, for any LangChain code; its replies carry token ids and log-probabilities.
 */
import type { LearnerClient } from "../../learner/index.ts";
import type { LearnerOptions } from "../policy-options.ts";
import { TokenExactChatModel, type TokenExactOptions } from "../token-exact/token-exact-chat-model.ts";
import { connectLearner } from "./connect-learner.ts";

export class LearnerChatModel extends TokenExactChatModel {
  private readonly client: LearnerClient | null;

  /** Over a sampler that one has, such as the one that was just published; `client` is closed with the model. */
  constructor(options: TokenExactOptions, client: LearnerClient | null = null) {
    super(options);
    this.client = client;
  }

  static async connect(options: LearnerOptions, env: NodeJS.ProcessEnv = process.env): Promise<LearnerChatModel> {
    const { client, model } = await connectLearner(options, env);
    return new LearnerChatModel(model, client);
  }

  override _llmType(): string {
    return "learner";
  }

  /** Ends the session at the server. A session that is left open does not keep the process alive. */
  async close(): Promise<void> {
    await this.client?.close();
  }
}
