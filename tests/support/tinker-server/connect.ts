/** A server and a client of it for one test, with a patience of milliseconds; both end with the test. */
import { onTestFinished } from "vitest";
import {
  createLearnerClient,
  type LearnerClient,
  type LearnerClientOptions,
} from "../../../learner/client/learner-client.ts";
import type { Limits } from "../../../learner/client/limits.ts";
import type { Datum } from "../../../learner/wire/datum.ts";
import type { Behaviour } from "./behaviour.ts";
import { startTinkerServer, type TinkerServer } from "./tinker-server.ts";

/** Short waits, but not so short that a busy machine is taken for a dead server. */
export const impatient: Partial<Limits> = {
  requestMs: 20_000,
  pollMs: 5_000,
  retryFirstMs: 4,
  retryMaxMs: 30,
  retryForMs: 10_000,
  unreachableForMs: 10_000,
  billingPauseMs: 10,
  backpressureMs: 10,
};

export interface Connected {
  readonly server: TinkerServer;
  readonly client: LearnerClient;
  readonly warnings: string[];
}

export async function connect(
  behaviour: Partial<Behaviour> = {},
  options: Partial<LearnerClientOptions> = {},
): Promise<Connected> {
  const server = await startTinkerServer(behaviour);
  onTestFinished(() => server.close());
  const warnings: string[] = [];
  const client = await createLearnerClient({
    baseURL: server.url,
    onWarning: (message) => warnings.push(message),
    ...options,
    limits: { ...impatient, ...options.limits },
  });
  onTestFinished(() => client.close());
  return { server, client, warnings };
}

/** Token ids 1, 2, 3, … round the vocabulary from `start`, to be learned with weight 1. */
export function datum(length = 6, start = 1, inputs: Datum["lossFnInputs"] | object = {}): Datum {
  const token = (t: number) => 1 + ((start + t) % 20);
  return {
    modelInput: Int32Array.from({ length }, (_, t) => token(t)),
    lossFnInputs: {
      target_tokens: Int32Array.from({ length }, (_, t) => token(t + 1)),
      weights: new Float32Array(length).fill(1),
      ...inputs,
    } as Datum["lossFnInputs"],
  };
}
