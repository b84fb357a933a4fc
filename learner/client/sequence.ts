/**
 * The order of a model's calls: each is handed over after the one before it was taken, and gets its number then.
 *
 * Numbers are contiguous, because a server that orders by them waits for a missing one for ever. So a call that is stopped
 * before its turn takes none, and one that surely did not reach the server gives its number back.
 */
import { UmaError } from "../../base/errors.ts";

export interface Numbers {
  next(): number;
  /** Only the last number given out can be taken back; returns whether it was. */
  takeBack(number: number): boolean;
}

export interface Sequence {
  /** Rejects `cancelled` when the signal came before the turn. */
  turn<T>(send: (numbers: Numbers) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

export function createSequence(first = 1): Sequence {
  let following = first;
  let tail: Promise<unknown> = Promise.resolve();
  const numbers: Numbers = {
    next: () => following++,
    takeBack(number) {
      if (number !== following - 1) return false;
      following -= 1;
      return true;
    },
  };
  return {
    turn: (send, signal) =>
      new Promise((resolve, reject) => {
        let started = false;
        const stop = () => {
          if (!started)
            reject(
              new UmaError("cancelled", "stopped before the call was sent to the learner", { cause: signal?.reason }),
            );
        };
        signal?.addEventListener("abort", stop, { once: true });
        tail = tail.then(async () => {
          if (signal?.aborted) return stop();
          started = true;
          await (async () => send(numbers))().then(resolve, reject);
          signal?.removeEventListener("abort", stop);
        });
      }),
  };
}
