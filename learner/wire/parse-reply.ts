/** Reading what a server sent: what cannot be read is the server's fault, and says which reply it was. */
import { UmaError } from "../../base/errors.ts";

export function parseReply<T>(what: string, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    throw new UmaError("provider", `the server sent ${what} in a form that cannot be read`, {
      cause,
      fix: "check that the URL is a Tinker-compatible server, and which versions of the protocol it speaks",
    });
  }
}
