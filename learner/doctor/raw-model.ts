/** A model spoken to by hand, to send what the client never would: a number twice, a later one first. */
import { accept } from "../client/accept.ts";
import { adamParams } from "../client/adam.ts";
import { type CreateModel, requestModel } from "../client/create-model.ts";
import type { Link } from "../client/link.ts";
import { poll, type Result } from "../client/poll.ts";
import { submit } from "../client/submit.ts";
import type { EngineProfile } from "../engines/engine-profile.ts";
import type { Datum } from "../wire/datum.ts";
import type { Dialect } from "../wire/dialect.ts";
import { forwardOutputFromJson, forwardOutputFromProto } from "../wire/forward-output.ts";
import { smallStep } from "./small-step.ts";

export interface RawModel {
  /** The status of the answer; throws when there is none. */
  offer(dialect: Dialect, seqId: number, forwardOnly: boolean): Promise<number>;
  /** Sends forward_backward of the datum; gives the name of the result. */
  send(dialect: Dialect, seqId: number, forwardOnly: boolean): Promise<string>;
  sendStep(seqId: number, rate: number): Promise<string>;
  result(requestId: string, kind: string): Promise<Result>;
  /** Log-probabilities of the datum, by a forward pass of this number. */
  scores(dialect: Dialect, seqId: number): Promise<Float32Array>;
}

export interface RawModelOptions {
  readonly link: Link;
  readonly profile: EngineProfile;
  readonly sessionId: string;
  readonly wanted: CreateModel;
  readonly datum: Datum;
}

/** Waits for one result no longer than this: a server that hangs has answered. */
export const PATIENCE_MS = 20_000;

export async function createRawModel({ link, profile, sessionId, wanted, datum }: RawModelOptions): Promise<RawModel> {
  const modelId = await requestModel(link, profile, { sessionId, seqId: 0 }, wanted);
  const bodyOf = (dialect: Dialect, seqId: number, forwardOnly: boolean) => {
    const call = { modelId, seqId, lossFn: "cross_entropy", config: {}, forwardOnly };
    return dialect.body(call, [dialect.encodeDatum(datum).encoded]);
  };
  const result = (requestId: string, kind: string) =>
    poll(link, { requestId, kind, proto: true, budget: null, signal: AbortSignal.timeout(PATIENCE_MS) });
  const send = async (dialect: Dialect, seqId: number, forwardOnly: boolean) => {
    const { route, bytes, contentType } = bodyOf(dialect, seqId, forwardOnly);
    return (await accept(link, { route, body: bytes, contentType, repeatable: false })).request_id;
  };
  return {
    async offer(dialect, seqId, forwardOnly) {
      const { route, bytes, contentType } = bodyOf(dialect, seqId, forwardOnly);
      return (await submit(link, { route, body: bytes, contentType, repeatable: true })).status;
    },
    send,
    async sendStep(seqId, rate) {
      const body = { adam_params: adamParams(smallStep(rate)), model_id: modelId, seq_id: seqId, type: "optim_step" };
      return (await accept(link, { route: "optim_step", body: JSON.stringify(body), repeatable: false })).request_id;
    },
    result,
    async scores(dialect, seqId) {
      const output = await result(await send(dialect, seqId, true), "Forward");
      const { logprobs } =
        "proto" in output ? forwardOutputFromProto(output.proto) : forwardOutputFromJson(output.json);
      return logprobs[0]!;
    },
  };
}
