/**
 * What the client may still rely on about a model at the server.
 *
 * Calls are sent without waiting for the results of earlier ones. So a call that was made before an earlier one was known to
 * have failed fails too: a step must not be taken on half a gradient, nor half-trained weights be published. If it was sent
 * already, the weights are not what the caller thinks, and only a checkpoint brings them back.
 */
import { messageOf, UmaError } from "../../base/errors.ts";

interface Call {
  /** Null until it has failed. */
  failure: unknown;
  /** Whether later calls build on it. */
  readonly changes: boolean;
  readonly over: Promise<void>;
  /** What its caller holds. */
  promise: Promise<unknown> | null;
}

export interface Entry {
  /** Throws when the call must not be sent. */
  check(): void;
  /** Waits for the calls it builds on, and throws when its result must not be used. */
  checkAfter(): Promise<void>;
  /** Later calls report this one's failure, so nobody has to be listening to it. */
  tie(promise: Promise<unknown>): void;
  settle(failure: unknown): void;
}

export interface EnterOptions {
  /** Whether it changes weights or gradient, so that later calls build on it. */
  readonly changes: boolean;
  /** It is a load of a checkpoint, which may come after anything but a lost sequence. */
  readonly rescue?: boolean;
}

export interface ModelState {
  /** At the time a call is made. */
  enter(what: string, options: EnterOptions): Entry;
  /** Weights or gradient are not known. */
  doubt(cause: unknown): void;
  /** No further call can be executed. */
  lose(why: string, cause?: unknown): void;
  /** A checkpoint was loaded. */
  restored(): void;
}

export function createModelState(modelId: string): ModelState {
  let doubt: UmaError | null = null;
  let lost: UmaError | null = null;
  const open = new Set<Call>();
  return {
    enter(what, { changes, rescue = false }) {
      const earlier = rescue ? [] : [...open].filter((call) => call.changes);
      for (const { promise } of earlier) promise?.catch(() => {});
      let end = () => {};
      const own: Call = { failure: null, promise: null, changes, over: new Promise((resolve) => (end = resolve)) };
      open.add(own);
      const check = () => {
        if (lost) throw lost;
        if (doubt && !rescue) throw doubt;
        const failed = earlier.find(({ failure }) => failure !== null);
        if (failed)
          throw new UmaError(
            "provider",
            `${what} does not count: an earlier call that it builds on failed (${messageOf(failed.failure)})`,
            {
              cause: failed.failure,
              fix: "mend what the earlier call says, and call again",
            },
          );
      };
      return {
        check,
        async checkAfter() {
          await Promise.all(earlier.map(({ over }) => over));
          check();
        },
        tie(promise) {
          own.promise = promise;
        },
        settle(failure) {
          own.failure = failure;
          open.delete(own);
          end();
        },
      };
    },
    doubt(cause) {
      doubt ??= new UmaError("provider", `what model ${modelId} has accumulated and learned is no longer known`, {
        cause,
        fix: "load the last checkpoint (loadState) and repeat the update",
      });
    },
    lose(why, cause) {
      lost ??= new UmaError("provider", `model ${modelId} cannot be used any more: ${why}`, {
        cause,
        fix: "create the model from the last checkpoint (createModelFrom)",
      });
    },
    restored() {
      doubt = null;
    },
  };
}
