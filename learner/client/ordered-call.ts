/** A model's calls beside forward: handed over in their turn, waited for, and judged when they fail. */
import type { z } from "zod";
import { parseReply } from "../wire/parse-reply.ts";
import { abortable } from "./abortable.ts";
import { accept } from "./accept.ts";
import { consumes } from "./forward-call.ts";
import type { Link } from "./link.ts";
import type { ModelState } from "./model-state.ts";
import { poll } from "./poll.ts";
import { Refused } from "./refusal.ts";
import type { Sequence } from "./sequence.ts";
import { InDoubt, NotTaken } from "./submit.ts";

export interface OrderedCall<T, R> {
  readonly route: string;
  readonly body: (seqId: number) => object;
  readonly schema: z.ZodType<T>;
  /** Whether it changes weights or gradient, so that an unknown outcome makes them unknown. */
  readonly changes: boolean;
  /** Whether sending it twice is executing it once, or does no harm. */
  readonly repeatable: boolean;
  readonly rescue?: boolean;
  /** Makes the caller's value of what the server sent. */
  readonly finish: (value: T) => R | Promise<R>;
  readonly fail?: () => void;
  readonly signal?: AbortSignal | undefined;
}

export interface Order {
  readonly link: Link;
  readonly sequence: Sequence;
  readonly state: ModelState;
  readonly modelId: string;
  /** Whether the engine executes by number, and so waits for a missing one. */
  readonly byNumber: boolean;
}

/** The promise is the one that later calls speak for (ModelState). */
export function orderedCall<T, R>(order: Order, call: OrderedCall<T, R>): Promise<R> {
  const { link, sequence, state, modelId } = order;
  const entry = state.enter(call.route, { changes: call.changes, rescue: call.rescue ?? false });
  let sent = false;
  const run = async () => {
    const { request_id: requestId } = await sequence.turn(async (numbers) => {
      entry.check();
      const number = numbers.next();
      sent = true;
      try {
        return await accept(link, {
          route: call.route,
          body: JSON.stringify(call.body(number)),
          headers: { "X-Idempotency-Key": `${modelId}/${number}` },
          repeatable: call.repeatable,
        });
      } catch (thrown) {
        const unseen = thrown instanceof NotTaken || (thrown instanceof Refused && !consumes(thrown.status));
        const missing = unseen ? !numbers.takeBack(number) : thrown instanceof InDoubt && order.byNumber;
        if (missing) state.lose(MISSING, thrown);
        if (unseen || thrown instanceof Refused) sent = false;
        throw thrown;
      }
    }, call.signal);
    const result = await poll(link, { requestId, kind: kindOf(call.route), proto: false, budget: null });
    const value = parseReply(`the result of ${call.route}`, () =>
      call.schema.parse("json" in result ? result.json : null),
    );
    await entry.checkAfter();
    return call.finish(value);
  };
  const work = abortable(run(), call.signal, `stopped while the learner worked on ${call.route}`).then(
    (value) => {
      entry.settle(null);
      return value;
    },
    (thrown) => {
      if (sent && call.changes) state.doubt(thrown);
      call.fail?.();
      entry.settle(thrown);
      throw thrown;
    },
  );
  entry.tie(work);
  return work;
}

/** Why a model is lost at a server that waits for every number. */
export const MISSING = "a call in its sequence never arrived, and the server waits for it";

/** `save_weights_for_sampler` → `SaveWeightsForSampler`. */
function kindOf(route: string): string {
  return route.replaceAll(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
