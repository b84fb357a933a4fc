/**
 * What went wrong at a provider, whatever client threw it: whether trying again can help, how long to wait, and a sentence
 * that tells the user what to do.
 */
import { ContextOverflowError } from "@langchain/core/errors";
import { messageOf, UmaError } from "../base/errors.ts";

/** What the user set to get here, for the sentences; all of it optional. */
export interface Endpoint {
  readonly url?: string;
  readonly model?: string;
  readonly keyVariable?: string;
  readonly urlVariable?: string;
  readonly modelVariable?: string;
}

export interface ProviderFailure {
  readonly status: number | null;
  /** The system's code for a broken connection, e.g. ECONNREFUSED. */
  readonly connection: string | null;
  readonly timedOut: boolean;
  readonly retryable: boolean;
  /** What the provider asked to wait, in ms; null when it did not say. */
  readonly retryAfterMs: number | null;
}

/** The provider answered, but with nothing that can be used: HTML, no choices, a stream that ends in the middle. */
export class UnusableReply extends Error {
  override readonly name = "UnusableReply";
}

/** One attempt took longer than allowed. */
export class AttemptTimeout extends Error {
  override readonly name = "TimeoutError";
}

const RETRYABLE_STATUS = new Set([408, 409, 425, 429]);
/** Codes that come with a status which is otherwise worth another try. */
const FATAL_CODES = new Set(["insufficient_quota", "context_length_exceeded", "invalid_api_key", "model_not_found"]);

const overflows = (thrown: unknown, status: number | null) =>
  ContextOverflowError.isInstance(thrown) ||
  (status === 400 && /context (?:length|size|window)|maximum context/i.test(messageOf(thrown)));

const CONNECTION =
  /^(?:ECONN|EPIPE|ETIMEDOUT|EAI_|ENETUNREACH|EHOSTUNREACH|ENOTFOUND|UND_ERR_|ERR_TLS|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)/;
/** A misspelled host stays misspelled, and a certificate that is refused stays refused. */
const RETRYABLE_CONNECTION = /^(?:ECONN|EPIPE|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|EHOSTUNREACH|UND_ERR_)/;

export function providerFailure(thrown: unknown, now: number): ProviderFailure {
  const chain = causes(thrown);
  const status = firstOf(chain, statusOf);
  const connection = firstOf(chain, ({ code }) => (typeof code === "string" && CONNECTION.test(code) ? code : null));
  const timedOut = chain.some((link) => link.name === "TimeoutError");
  const fatal = overflows(thrown, status) || chain.some((link) => FATAL_CODES.has(String(link.code)));
  const helps = () => {
    if (status !== null) return RETRYABLE_STATUS.has(status) || status >= 500;
    if (connection !== null) return RETRYABLE_CONNECTION.test(connection);
    return timedOut || isBrokenReply(chain);
  };
  const retryable = !fatal && helps();
  return { status, connection, timedOut, retryable, retryAfterMs: firstOf(chain, (link) => retryAfterOf(link, now)) };
}

/** Throws nothing: makes the error that the session records. `attempts` counts the failed tries. */
export function providerError(
  thrown: unknown,
  options: { name: string; endpoint: Endpoint; attempts: number },
): UmaError {
  if (thrown instanceof UmaError) return thrown;
  const { name, endpoint, attempts } = options;
  const failure = providerFailure(thrown, 0);
  const at = endpoint.url ? ` at ${endpoint.url}` : "";
  const tries = attempts > 1 ? ` (${attempts} attempts)` : "";
  const said = saidBy(thrown);
  const error = (what: string, fix?: string) =>
    new UmaError("provider", `${name}: ${what}${tries}`, { cause: thrown, ...(fix ? { fix } : {}) });

  if (overflows(thrown, failure.status))
    return error(
      `the prompt with the room for its reply is longer than the model's context: ${said}`,
      "lower the session budget, or serve the model with a longer context",
    );
  if (failure.status === 401 || failure.status === 403)
    return error(
      `the server${at} refused the key: ${said}`,
      `check ${endpoint.keyVariable ?? "the API key"} and that it belongs to that server`,
    );
  if (failure.status === 404)
    return error(
      `the server${at} knows no such ${endpoint.model ? `model as "${endpoint.model}"` : "model"}, or no such path: ${said}`,
      `check ${endpoint.modelVariable ?? "the model's name"} and ${endpoint.urlVariable ?? "the base URL"}, which usually ends in /v1`,
    );
  if (failure.connection === "ECONNREFUSED" || failure.connection === "ENOTFOUND")
    return error(
      `${failure.connection === "ENOTFOUND" ? "no such host" : "nothing answers"}${at} (${failure.connection})`,
      `start the server there, or set ${endpoint.urlVariable ?? "the base URL"} to where it runs`,
    );
  if (failure.timedOut) return error(`no reply${at} in time: ${said}`, "allow more time, or use a faster server");
  return error(`the request${at} failed: ${said}`);
}

/** In the provider's words, on one line; the client library appends a link to its own pages, which is of no use here. */
function saidBy(thrown: unknown): string {
  return messageOf(thrown)
    .replace(/\s*Troubleshooting URL: \S+\s*$/, "")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 400);
}

interface Link {
  readonly name?: unknown;
  readonly message?: unknown;
  readonly code?: unknown;
  readonly status?: unknown;
  readonly statusCode?: unknown;
  readonly response?: unknown;
  readonly headers?: unknown;
  readonly $metadata?: unknown;
}

function causes(thrown: unknown): Link[] {
  const chain: Link[] = [];
  for (
    let link = thrown;
    link !== null && typeof link === "object" && chain.length < 8;
    link = (link as { cause?: unknown }).cause
  )
    chain.push(link as Link);
  return chain;
}

function firstOf<T>(chain: readonly Link[], read: (link: Link) => T | null): T | null {
  for (const link of chain) {
    const found = read(link);
    if (found !== null) return found;
  }
  return null;
}

function statusOf(link: Link): number | null {
  const nested = [link.response, link.$metadata].map(
    (held) => (held ?? {}) as { status?: unknown; httpStatusCode?: unknown },
  );
  const candidates = [link.status, link.statusCode, ...nested.flatMap((held) => [held.status, held.httpStatusCode])];
  return candidates.find((value): value is number => typeof value === "number" && value >= 300 && value < 600) ?? null;
}

/** Seconds, a date, or milliseconds in the header that some providers add. */
function retryAfterOf(link: Link, now: number): number | null {
  const headers = link.headers ?? (link.response as { headers?: unknown } | undefined)?.headers;
  const read = (name: string): string | null => {
    if (headers instanceof Headers) return headers.get(name);
    const value = (headers as Record<string, unknown> | undefined)?.[name];
    return typeof value === "string" ? value : null;
  };
  const ms = Number(read("retry-after-ms") ?? "");
  if (ms > 0) return ms;
  const value = read("retry-after")?.trim();
  if (!value) return null;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return Math.max(0, seconds * 1000);
  const date = Date.parse(value);
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

/** A body that ends in the middle, an error event inside a stream, a connection that the client only calls broken. */
function isBrokenReply(chain: readonly Link[]): boolean {
  return chain.some((link) => {
    if (link instanceof UnusableReply || link instanceof SyntaxError) return true;
    const type = (link as object).constructor?.name ?? "";
    if (type === "APIConnectionError" || type === "APIError") return true;
    return link instanceof TypeError && /terminated|fetch failed|other side closed/.test(String(link.message));
  });
}
