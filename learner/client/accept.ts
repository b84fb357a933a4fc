/** Handing over a call whose result comes later: gives the name under which to ask for it. */
import { z } from "zod";
import { parseReply } from "../wire/parse-reply.ts";
import type { Link, Reply } from "./link.ts";
import { refusal } from "./refusal.ts";
import { type Submission, submit } from "./submit.ts";

const Accepted = z.looseObject({ request_id: z.string() });
export type Accepted = z.infer<typeof Accepted>;

/** Throws what submit throws, and Refused. */
export async function accept(link: Link, submission: Submission): Promise<Accepted> {
  return acceptedFrom(link, submission.route, await submit(link, submission));
}

export function acceptedFrom(link: Link, route: string, reply: Reply): Accepted {
  if (reply.status >= 300) throw refusal(link, route, reply);
  return parseReply(`the answer to ${route}`, () => Accepted.parse(JSON.parse(new TextDecoder().decode(reply.bytes))));
}
