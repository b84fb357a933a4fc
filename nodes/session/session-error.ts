/** What was thrown in a session, as data for its record; what the reader can do about it is part of the message. */
import { messageOf, UmaError } from "../../base/errors.ts";
import type { SessionError } from "./record.ts";

export function sessionError(boundary: SessionError["boundary"], thrown: unknown): SessionError {
  if (!(thrown instanceof UmaError)) return { boundary, code: "failure", message: messageOf(thrown) };
  const { code, message, fix } = thrown;
  return { boundary, code, message: fix === undefined ? message : `${message}; ${fix}` };
}
