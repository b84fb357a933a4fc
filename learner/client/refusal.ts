/** An answer that is not a success, as an error for people: whose fault it is, in the server's words. */
import { type ErrorCode, UmaError } from "../../base/errors.ts";
import type { Link, Reply } from "./link.ts";

export class Refused extends UmaError {
  readonly status: number;
  constructor(status: number, code: ErrorCode, message: string, fix: string | null) {
    super(code, message, fix === null ? {} : { fix });
    this.status = status;
  }
}

export function refusal(link: Link, route: string, reply: Reply): Refused {
  const { code, fix } = meaning(reply.status);
  const said = saidBy(reply);
  const what = `the learner at ${link.url} answered ${reply.status} to ${route}${said && `: ${said}`}`;
  return new Refused(reply.status, code, what, fix);
}

/** The reason in a body: `detail` or `error`, FastAPI's list of problems, or the text itself. */
export function saidBy({ bytes }: Reply): string {
  const text = new TextDecoder().decode(bytes.subarray(0, 20_000));
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    return text.trim().slice(0, 500);
  }
  const { detail, error, message } = (typeof body === "object" && body !== null ? body : {}) as Record<string, unknown>;
  const said = detail ?? error ?? message ?? body;
  if (typeof said === "string") return said;
  if (Array.isArray(said) && said.every((problem) => typeof problem?.msg === "string"))
    return said.map(({ loc, msg }) => `${Array.isArray(loc) ? `${loc.join(".")}: ` : ""}${msg}`).join("; ");
  return JSON.stringify(said);
}

function meaning(status: number): { readonly code: ErrorCode; readonly fix: string | null } {
  switch (status) {
    case 400:
    case 422:
      return { code: "input", fix: null };
    case 401:
    case 403:
      return { code: "config", fix: "give the server's API key (apiKey)" };
    case 402:
      return { code: "provider", fix: "the account is out of funds" };
    case 404:
      return {
        code: "provider",
        fix: "if the server was restarted, its models are gone: create the model from the last checkpoint; otherwise check the URL",
      };
    case 413:
      return { code: "config", fix: "send smaller parts (limits.chunkBytes), or raise the server's limit" };
    default:
      return { code: "provider", fix: null };
  }
}
