/**
 * One HTTP exchange with the server, with its own clock. No retries here: what an answer means depends on the call.
 *
 * Clocks stay below the five minutes at which Node's fetch gives up, so none of its own is in the way.
 */
import { setMaxListeners } from "node:events";
import { UmaError } from "../../base/errors.ts";
import type { Limits } from "./limits.ts";

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
}

export interface Ask {
  readonly body?: Uint8Array | string;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** No answer came. `sent` is false when the request cannot have reached the server. */
export class NoAnswer extends Error {
  readonly sent: boolean;
  constructor(what: string, sent: boolean, cause: unknown) {
    super(what, { cause });
    this.sent = sent;
  }
}

export interface Link {
  readonly url: string;
  readonly limits: Limits;
  /** Ends everything that is under way. */
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
  /** When anything last came from the server, in milliseconds of the process's clock. */
  lastAnswer(): number;
  /** Throws NoAnswer, or `cancelled`. */
  ask(method: "GET" | "POST", route: string, ask: Ask): Promise<Reply>;
}

export interface LinkOptions {
  readonly baseURL: string;
  readonly apiKey: string;
  readonly limits: Limits;
  readonly signal: AbortSignal;
  readonly warn: (message: string) => void;
}

export function createLink({ baseURL, apiKey, limits, signal, warn }: LinkOptions): Link {
  const root = rootOf(baseURL);
  let last = performance.now();
  return {
    url: root,
    limits,
    signal,
    warn,
    lastAnswer: () => last,
    async ask(method, route, { body, contentType = "application/json", headers, timeoutMs, signal: own }) {
      if (own) setMaxListeners(0, own); // one signal may end hundreds of calls
      const controller = new AbortController();
      const stop = () => controller.abort();
      const timer = setTimeout(stop, timeoutMs);
      for (const outer of [signal, own]) {
        if (outer?.aborted) stop();
        outer?.addEventListener("abort", stop, { once: true });
      }
      try {
        const response = await fetch(`${root}/api/v1/${route}`, {
          method,
          signal: controller.signal,
          headers: {
            "X-API-Key": apiKey,
            "User-Agent": "umagraph",
            ...(body !== undefined && { "Content-Type": contentType }),
            ...headers,
          },
          ...(body !== undefined && { body }),
        });
        const bytes = new Uint8Array(await response.arrayBuffer());
        last = performance.now();
        return { status: response.status, headers: response.headers, bytes };
      } catch (cause) {
        const reason = signal.aborted ? signal.reason : own?.aborted ? own.reason : null;
        if (signal.aborted || own?.aborted)
          throw new UmaError("cancelled", "stopped while asking the learner", { cause: reason });
        if (controller.signal.aborted) throw new NoAnswer(`no answer within ${timeoutMs / 1000} s`, true, cause);
        const code = codeOf(cause);
        throw new NoAnswer(code ?? String(cause), code === null || !neverSent.has(code), cause);
      } finally {
        clearTimeout(timer);
        for (const outer of [signal, own]) outer?.removeEventListener("abort", stop);
      }
    },
  };
}

const neverSent = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "UND_ERR_CONNECT_TIMEOUT",
]);

/** The code of a failed connection lies in the cause of fetch's own error. */
function codeOf(thrown: unknown): string | null {
  for (let error = thrown; error instanceof Error; error = error.cause) {
    const { code } = error as { code?: unknown };
    if (typeof code === "string" && error.name !== "TypeError") return code;
    if (error instanceof AggregateError && error.errors.length > 0) return codeOf(error.errors[0]);
  }
  return null;
}

/** Throws `config` for what is no http(s) URL. A trailing /api/v1 is what people copy, and is taken off. */
function rootOf(baseURL: string): string {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : null;
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UmaError("config", `expected the learner's URL, got ${JSON.stringify(baseURL)}`, {
      fix: "give it as http://host:port",
    });
  return (url.origin + url.pathname).replace(/\/+$/, "").replace(/\/api\/v1$/, "");
}
