/** The test server of the protocol with the vocabulary of tests/fixtures/tiny-qwen, giving out its tokenizer as our own service does. */
import { createHash } from "node:crypto";
import { onTestFinished } from "vitest";
import type { Behaviour } from "../../support/tinker-server/behaviour.ts";
import { type Fault, startTinkerServer, type TinkerServer } from "../../support/tinker-server/tinker-server.ts";
import { tiny, tinyFiles } from "../token-exact/tiny-format.ts";

export interface TinyLearner {
  readonly server: TinkerServer;
  /** What a route answers instead. */
  answer(route: string, fault: Fault | null): void;
}

export const tokenizer = JSON.parse(tinyFiles.tokenizer);
/** Of the text as the server sends it. */
export const sentHash = createHash("sha256").update(JSON.stringify(tokenizer)).digest("hex");
export const vocabulary = 1 + Math.max(...[...tiny.tokenizer.specials.values()].map(({ id }) => id));

export async function tinyLearner(behaviour: Partial<Behaviour> = {}): Promise<TinyLearner> {
  const server = await startTinkerServer({ vocabulary, ...behaviour });
  onTestFinished(() => server.close());
  const answers = new Map<string, Fault | null>([
    [
      "get_server_capabilities",
      {
        status: 200,
        body: {
          supported_models: [{ model_name: "bigram", max_context_length: 1_500 }],
          tokenizer: { sha256: sentHash },
        },
      },
    ],
    ["models/bigram/tokenizer", { status: 200, body: tokenizer }],
    [
      "models/bigram/tokenizer_config",
      { status: 200, body: { ...tinyFiles.settings, chat_template: tinyFiles.template } },
    ],
  ]);
  server.fault(({ route }) => answers.get(route) ?? null);
  return { server, answer: (route, fault) => void answers.set(route, fault) };
}
