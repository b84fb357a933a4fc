/**
 * Handing a call to the server: tried again while that is safe, for as long as the limits say.
 *
 * A call that was sent and not answered may have been executed. Where the server knows calls by their sequence numbers it is
 * sent again; where it does not, sending again could count a gradient twice, so the caller is told instead.
 */
import { UmaError } from "../../base/errors.ts";
import { delayAfter, sleep } from "./backoff.ts";
import { type Link, NoAnswer, type Reply } from "./link.ts";
import { refusal, saidBy } from "./refusal.ts";

export interface Submission {
  readonly route: string;
  readonly body: Uint8Array | string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether sending it twice is executing it once. */
  readonly repeatable: boolean;
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of a call that changes a model is not known. */
export class InDoubt extends UmaError {
  constructor(message: string, cause: unknown) {
    super("provider", message, {
      cause,
      fix: "load the last checkpoint, which clears what may have been accumulated, and repeat the update",
    });
  }
}

/** Refused connections, or answers that say "not now", until patience ran out: surely not executed. */
export class NotTaken extends UmaError {}

/** The answer, whatever it is, once it is one that trying again does not change. Throws InDoubt, NotTaken, `cancelled`. */
export async function submit(link: Link, { route, repeatable, signal, ...rest }: Submission): Promise<Reply> {
  const until = performance.now() + link.limits.retryForMs;
  let doubted = false;
  for (let failures = 1; ; failures++) {
    const outcome = await link
      .ask("POST", route, { ...rest, timeoutMs: link.limits.requestMs, signal })
      .catch((thrown: unknown) => {
        if (thrown instanceof NoAnswer) return thrown;
        throw thrown;
      });
    const again = retry(outcome);
    if (again === null) return outcome as Reply;
    const what = outcome instanceof NoAnswer ? outcome.message : `${outcome.status} ${saidBy(outcome)}`.trim();
    doubted ||= again === "in doubt";
    if (doubted && !repeatable)
      throw new InDoubt(
        `${route} was sent to the learner at ${link.url} and not acknowledged (${what}): it may or may not have been executed, and ` +
          "this engine would execute it twice if it were sent again",
        outcome instanceof NoAnswer ? outcome : undefined,
      );
    const wait = delayAfter(failures, link.limits);
    if (performance.now() + wait > until && doubted)
      throw new InDoubt(`${route} was sent to the learner at ${link.url} and never acknowledged (${what})`, outcome);
    if (performance.now() + wait > until)
      throw outcome instanceof NoAnswer
        ? new NotTaken("provider", `the learner at ${link.url} cannot be reached (${route}: ${what})`, {
            cause: outcome,
            fix: "check that it runs and that the URL is right",
          })
        : new NotTaken("provider", refusal(link, route, outcome).message);
    await sleep(wait, signal ?? link.signal);
  }
}

/** Null: this is the answer. `safe`: it was surely not executed. */
function retry(outcome: Reply | NoAnswer): "safe" | "in doubt" | null {
  if (outcome instanceof NoAnswer) return outcome.sent ? "in doubt" : "safe";
  const told = outcome.headers.get("x-should-retry");
  if (told === "false") return null;
  if (outcome.status === 429 || outcome.status === 503 || outcome.status === 409) return "safe";
  if (outcome.status === 408 || outcome.status >= 500) return "in doubt";
  return told === "true" ? "in doubt" : null;
}
