/**
 * Errors a user or a program can act on.
 *
 * A message says what was expected, what came, and what to do. Mistakes of the *model* never become errors: they are
 * observations (see tools/). A failed session is data (see nodes/session/record.ts). What is thrown is for people.
 */

/** `config` wrong options · `input` unreadable data · `store` persistence · `conflict` lost a race · `provider` a remote service · `cancelled` the user stopped it. */
export type ErrorCode = "config" | "input" | "store" | "conflict" | "provider" | "cancelled";

export class UmaError extends Error {
  readonly code: ErrorCode;
  /** What the reader can do next; printed on its own line. */
  readonly fix: string | undefined;

  constructor(code: ErrorCode, message: string, options: { fix?: string; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "UmaError";
    this.code = code;
    this.fix = options.fix;
  }
}

/** Process exit codes, one per kind of failure; documented in `umagraph --help`. */
export const exitCodes: Record<ErrorCode | "failure" | "ok", number> = {
  ok: 0,
  failure: 1,
  config: 2,
  input: 3,
  store: 4,
  conflict: 5,
  provider: 6,
  cancelled: 130,
};

/** The text of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
