/**
 * Waiting for the result of a call: long polls, without end while the server is there.
 *
 * A result that is ready is JSON or protobuf; everything else ("try again", its size, a failure) is JSON.
 */
import { UmaError } from "../../base/errors.ts";
import { parseReply } from "../wire/parse-reply.ts";
import { delayAfter, sleep } from "./backoff.ts";
import type { ByteBudget } from "./byte-budget.ts";
import { type Link, NoAnswer, type Reply } from "./link.ts";
import { refusal, saidBy } from "./refusal.ts";

export interface Poll {
  readonly requestId: string;
  /** What it is the result of; a header the server may look at. */
  readonly kind: string;
  /** Whether the result may come as protobuf. */
  readonly proto: boolean;
  /** Where results count against memory; null for small ones. */
  readonly budget: ByteBudget | null;
  readonly signal?: AbortSignal | undefined;
}

export type Result = { readonly proto: Uint8Array } | { readonly json: unknown };

/** The server has no such call any more: its result was kept for a while, or it was restarted. */
export class ResultLost extends UmaError {}

/** A call that was executed and failed there. `category` "user": the call was wrong. Models are as they were. */
export class CallFailed extends UmaError {}

/** Throws CallFailed, ResultLost, `provider` when nothing comes from the server for too long, `cancelled`. */
export async function poll(link: Link, { requestId, kind, proto, budget, signal }: Poll): Promise<Result> {
  const { limits } = link;
  const stop = signal ?? link.signal;
  let giveBack = () => {};
  let metadataOnly = budget !== null;
  let troubles = 0;
  let refusals = 0;
  let early = 0;
  let paused = false;
  let since = performance.now();
  try {
    for (let iteration = 0; ; iteration++) {
      const asked = performance.now();
      const reply = await link
        .ask("POST", "retrieve_future", {
          body: JSON.stringify({ request_id: requestId, allow_metadata_only: metadataOnly }),
          headers: {
            "X-Tinker-Request-Type": kind,
            "X-Tinker-Request-Iteration": String(iteration),
            Accept: proto ? "application/x-protobuf, application/json" : "application/json",
          },
          timeoutMs: limits.pollMs,
          signal,
        })
        .catch(noAnswer);

      if (reply instanceof NoAnswer || reply.status === 429 || reply.status >= 500) {
        troubles += 1;
        if (!(reply instanceof NoAnswer) && reply.status === 429) since = performance.now();
        const quiet = performance.now() - Math.max(since, reply instanceof NoAnswer ? link.lastAnswer() : since);
        if (quiet > limits.unreachableForMs) throw unreachable(link, kind, reply);
        const hung = reply instanceof NoAnswer && performance.now() - asked >= limits.pollMs;
        const serverFault = !(reply instanceof NoAnswer) && reply.status !== 429;
        // a poll that timed out or failed once is simply asked again
        if (!hung && !(serverFault && troubles === 1)) await sleep(delayAfter(troubles, limits), stop);
        continue;
      }
      if (reply.status === 408) continue;
      since = performance.now();
      troubles = 0;
      if (reply.status === 402) {
        if (!paused) link.warn(`the learner waits for payment: ${saidBy(reply)}`);
        paused = true;
        await sleep(limits.billingPauseMs, stop);
        continue;
      }
      if (reply.status === 400 && ++refusals < 3) {
        await sleep(delayAfter(refusals, limits), stop);
        continue;
      }
      if (reply.status === 410 || reply.status === 404)
        throw new ResultLost(
          "provider",
          `the learner at ${link.url} no longer has the result of ${kind}: ${saidBy(reply)}`,
          {
            fix: "create the model from the last checkpoint and repeat the update",
          },
        );
      if (reply.status >= 300) throw refusal(link, `retrieve_future (${kind})`, reply);
      if (reply.headers.get("content-type")?.includes("protobuf")) return { proto: reply.bytes };

      const json = parseReply(`the result of ${kind}`, () => JSON.parse(new TextDecoder().decode(reply.bytes)));
      const control = controlOf(json);
      if (control === null) return { json };
      if (control.state === "failed") throw failed(kind, control);
      if (control.state === "ready") {
        metadataOnly = false;
        giveBack = (await budget?.take(control.bytes, stop)) ?? giveBack;
        continue;
      }
      // a server that does not hold its polls is asked ever more slowly
      early = performance.now() - asked < 1_000 ? early + 1 : 0;
      if (early > 0) await sleep(Math.min(5 * 2 ** early, 1_000), stop);
    }
  } finally {
    giveBack();
  }
}

type Control =
  | { readonly state: "waiting" }
  | { readonly state: "ready"; readonly bytes: number }
  | { readonly state: "failed"; readonly error: string; readonly category: string };

function controlOf(body: unknown): Control | null {
  if (typeof body !== "object" || body === null) return null;
  const { type, status, error, category, response_payload_size: bytes } = body as Record<string, unknown>;
  if (type === "try_again") return { state: "waiting" };
  if (status === "complete_metadata") return { state: "ready", bytes: typeof bytes === "number" ? bytes : 0 };
  if (typeof error === "string") return { state: "failed", error, category: String(category ?? "unknown") };
  return null;
}

function failed(kind: string, { error, category }: { readonly error: string; readonly category: string }): CallFailed {
  return new CallFailed(
    category === "user" ? "input" : "provider",
    `${kind} failed at the learner (${category}): ${error}`,
  );
}

function noAnswer(thrown: unknown): NoAnswer {
  if (thrown instanceof NoAnswer) return thrown;
  throw thrown;
}

function unreachable(link: Link, kind: string, last: Reply | NoAnswer): UmaError {
  const what = last instanceof NoAnswer ? last.message : `${last.status} ${saidBy(last)}`.trim();
  return new UmaError(
    "provider",
    `the learner at ${link.url} has not answered for ${link.limits.unreachableForMs / 1000} s while ${kind} was waited for (last: ${what})`,
    {
      fix: "check that it still runs; then create the model from the last checkpoint",
    },
  );
}
