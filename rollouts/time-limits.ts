/** Time-outs per turn and per session: a policy that is too slow is an error of that session, and its siblings go on. */
import { UmaError } from "../base/errors.ts";
import type { Policy } from "../policies/policy.ts";
import { withSample } from "../policies/with-sample.ts";

export interface TimeLimits {
  /** ms for one reply of the policy, retries included; null for no limit. */
  readonly turn: number | null;
  /** ms for all turns of one session; null for no limit. */
  readonly session: number | null;
}

export const noTimeLimits: TimeLimits = { turn: null, session: null };

/** The policy for one session: its clock starts now. */
export function withTimeLimits(policy: Policy, limits: TimeLimits): Policy {
  if (limits.turn === null && limits.session === null) return policy;
  const end = limits.session === null ? Number.POSITIVE_INFINITY : performance.now() + limits.session;
  return withSample(policy, async (request) => {
    const left = end - performance.now();
    const turn = limits.turn ?? Number.POSITIVE_INFINITY;
    const ms = Math.min(left, turn);
    const why =
      left <= turn
        ? `the session took longer than ${seconds(limits.session!)}`
        : `no reply within ${seconds(limits.turn!)}`;
    const late = new UmaError("provider", `${policy.name}: ${why}`, {
      fix: "allow more time per turn or session, or sample fewer sessions at once",
    });
    if (ms <= 0) throw late;
    const clock = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const expired = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        reject(late);
        clock.abort(late);
        // a timer drops fractions of a millisecond, and must not be early
      }, Math.ceil(ms));
    });
    try {
      const signal = request.signal ? AbortSignal.any([request.signal, clock.signal]) : clock.signal;
      return await Promise.race([policy.sample({ ...request, signal }), expired]);
    } catch (thrown) {
      throw clock.signal.aborted ? late : thrown;
    } finally {
      clearTimeout(timer);
    }
  });
}

const seconds = (ms: number) => (ms < 1_000 ? `${ms} ms` : `${Number((ms / 1_000).toFixed(1))} s`);
