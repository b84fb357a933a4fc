/** What was thrown in a session, as data for its record. */
import { messageOf, UmaError } from "../../base/errors.ts";
import type { SessionError } from "./record.ts";

export const sessionError = (boundary: SessionError["boundary"], thrown: unknown): SessionError => ({
  boundary,
  code: thrown instanceof UmaError ? thrown.code : "failure",
  message: messageOf(thrown),
});
