/**
 * One logical forward_backward: cut into parts, handed over in the order the server needs, put together again.
 *
 * Where the server executes by number, parts 2, 3, … are sent side by side and part 1 last, so that none is waited for once
 * execution begins. Elsewhere they go one after another. A part's memory is free once the server has it.
 */
import { UmaError } from "../../base/errors.ts";
import type { Datum } from "../wire/datum.ts";
import type { ForwardCall } from "../wire/dialect.ts";
import { type ForwardOutput, forwardOutputFromJson, forwardOutputFromProto } from "../wire/forward-output.ts";
import { mergeOutputs } from "../wire/merge-outputs.ts";
import { acceptedFrom } from "./accept.ts";
import type { ByteBudget } from "./byte-budget.ts";
import type { Limits } from "./limits.ts";
import type { Link } from "./link.ts";
import { type Part, partsOf } from "./parts.ts";
import { CallFailed, poll } from "./poll.ts";
import { Refused } from "./refusal.ts";
import type { Numbers } from "./sequence.ts";
import { NotTaken, submit } from "./submit.ts";
import type { WireChoice } from "./wire-choice.ts";

export interface ForwardWiring {
  readonly link: Link;
  readonly limits: Limits;
  readonly wire: WireChoice;
  readonly dispatch: ByteBudget;
  readonly inflight: ByteBudget;
  readonly parallelChunks: boolean;
  /** Whether the same number twice is executed once. */
  readonly idempotent: boolean;
}

/** What has become of a call's parts so far; a failure is judged by it. */
export interface Fate {
  /** Parts the server took or may have taken. */
  sent: number;
  /** Parts whose result came. */
  done: number;
  /** Parts the server executed and refused, or refused unseen: they left no trace. */
  failed: number;
  /** A number is missing in the model's sequence. */
  hole: boolean;
}

/** The results of the parts, when all of them were handed over. Throws the first failure to hand one over. */
export async function sendForward(
  wiring: ForwardWiring,
  numbers: Numbers,
  call: Omit<ForwardCall, "seqId">,
  data: Iterable<Datum>,
  fate: Fate,
): Promise<readonly Promise<ForwardOutput>[]> {
  const results: Promise<ForwardOutput>[] = [];
  const parts = partsOf(data, wiring.wire.dialect, wiring.limits);
  const sendOne = async (part: Part, at: number, number: number, release: () => void) => {
    try {
      const { result } = await sendPart(wiring, numbers, { ...call, seqId: number }, part, fate);
      result.catch(() => {});
      results[at] = result;
    } finally {
      release();
    }
  };
  let held: { readonly part: Part; readonly number: number } | null = null;
  const under: Promise<unknown>[] = [];
  let tokens = 0;
  const sendAll = async () => {
    for (let at = 0, drawn = parts.next(); !drawn.done; at++, drawn = parts.next()) {
      const part = drawn.value;
      tokens += part.datums.reduce((sum, { modelInput }) => sum + modelInput.length, 0);
      if (at === 0 && wiring.parallelChunks && wiring.wire.decided()) {
        held = { part, number: numbers.next() };
        continue;
      }
      const release = await wiring.dispatch.take(part.size, wiring.link.signal);
      const sending = sendOne(part, at, numbers.next(), release);
      if (!held) await sending;
      sending.catch(() => {}); // looked at when all are handed over
      under.push(sending);
    }
  };
  const sendHeld = async ({ part, number }: { readonly part: Part; readonly number: number }) => {
    // with nothing sent after it, a part that is not to be sent leaves no hole
    if (drawing.status === "rejected" && under.length === 0 && numbers.takeBack(number)) return;
    await sendOne(part, 0, number, await wiring.dispatch.take(part.size, wiring.link.signal));
  };
  const [drawing] = await Promise.allSettled([sendAll()]);
  const others = await Promise.allSettled(under);
  const [first] = await Promise.allSettled(held ? [sendHeld(held)] : []);
  for (const outcome of [drawing, first, ...others]) if (outcome?.status === "rejected") throw outcome.reason;
  warnOfJson(wiring, tokens);
  return results;
}

async function sendPart(
  { link, wire, inflight, idempotent }: ForwardWiring,
  numbers: Numbers,
  call: ForwardCall,
  part: Part,
  fate: Fate,
): Promise<{ readonly result: Promise<ForwardOutput> }> {
  const kind = call.forwardOnly ? "Forward" : "ForwardBackward";
  fate.sent += 1;
  let route = "forward_backward";
  try {
    const reply = await wire.send(part, (dialect, encoded) => {
      const body = dialect.body(call, encoded);
      route = body.route;
      return submit(link, {
        route,
        body: body.bytes,
        contentType: body.contentType,
        headers: { "X-Idempotency-Key": `${call.modelId}/${call.seqId}` },
        repeatable: idempotent || call.forwardOnly,
      });
    });
    const { request_id } = acceptedFrom(link, route, reply);
    return { result: resultOf(link, request_id, kind, wire.protoResults, inflight, part.datums, fate) };
  } catch (thrown) {
    const unseen = thrown instanceof NotTaken || (thrown instanceof Refused && !consumes(thrown.status));
    if (unseen || thrown instanceof Refused) fate.failed += 1;
    // a refusal of what was read counts as executed; of what was not read, the number is still free
    if (unseen && !numbers.takeBack(call.seqId)) fate.hole = true;
    throw thrown;
  }
}

/** 400 and 422 use up the call's number at the servers we know. */
export function consumes(status: number): boolean {
  return status === 400 || status === 422;
}

async function resultOf(
  link: Link,
  requestId: string,
  kind: string,
  proto: boolean,
  budget: ByteBudget,
  datums: readonly Datum[],
  fate: Fate,
): Promise<ForwardOutput> {
  const result = await poll(link, { requestId, kind, proto, budget }).catch((thrown: unknown) => {
    if (thrown instanceof CallFailed) fate.failed += 1;
    throw thrown;
  });
  const output = "proto" in result ? forwardOutputFromProto(result.proto) : forwardOutputFromJson(result.json);
  if (output.logprobs.length !== datums.length)
    throw new UmaError(
      "provider",
      `the learner sent log-probabilities of ${output.logprobs.length} datums for a call of ${datums.length}`,
    );
  output.logprobs.forEach((row, d) => {
    const expected = datums[d]!.modelInput.length;
    if (row.length !== expected)
      throw new UmaError(
        "provider",
        `the learner sent ${row.length} log-probabilities for a datum of ${expected} targets`,
      );
  });
  fate.done += 1;
  return output;
}

/** Waits for all parts, so that a failure is judged when all is known; then throws the first of them. */
export async function gather(results: readonly Promise<ForwardOutput>[]): Promise<ForwardOutput> {
  const settled = await Promise.allSettled(results);
  const failed = settled.find((result) => result.status === "rejected");
  if (failed) throw failed.reason;
  return mergeOutputs(settled.map((result) => (result as PromiseFulfilledResult<ForwardOutput>).value));
}

function warnOfJson({ link, limits, wire }: ForwardWiring, tokens: number): void {
  if (wire.dialect().name === "json" && tokens > limits.jsonTokens)
    link.warn(
      `${tokens} tokens went to the learner as JSON, two and a half times the bytes of protobuf, which it did not take`,
    );
}
