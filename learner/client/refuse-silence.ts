/** Whether anything answers at all, asked once before a client begins its patient retries. */
import { messageOf, UmaError } from "../../base/errors.ts";

/** A training run waits long for a server that restarts; a person who mistyped its address does not. */
export async function refuseSilence(url: string): Promise<void> {
  if (!URL.canParse(url) || !/^https?:/.test(url))
    throw new UmaError("config", `expected a URL such as http://127.0.0.1:8700, got ${url}`);
  try {
    await fetch(new URL("/api/v1/healthz", url), { signal: AbortSignal.timeout(10_000) });
  } catch (cause) {
    throw new UmaError("provider", `nothing answers at ${url}: ${messageOf(cause)}`, {
      fix: "check the address with umagraph learner status, or start a learner",
      cause,
    });
  }
}
