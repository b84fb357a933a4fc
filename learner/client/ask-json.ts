/** Small questions that are answered at once, as JSON. */
import type { z } from "zod";
import { parseReply } from "../wire/parse-reply.ts";
import type { Link } from "./link.ts";
import { refusal } from "./refusal.ts";
import { submit } from "./submit.ts";

/** POST of a body, or GET without one; asking twice does no harm. Throws what the refusal means. */
export async function askJson<T>(
  link: Link,
  route: string,
  schema: z.ZodType<T>,
  { body, signal }: { readonly body?: object; readonly signal?: AbortSignal | undefined } = {},
): Promise<T> {
  const reply = body
    ? await submit(link, { route, body: JSON.stringify(body), repeatable: true, signal })
    : await link.ask("GET", route, { timeoutMs: link.limits.requestMs, signal });
  if (reply.status >= 300) throw refusal(link, route, reply);
  return parseReply(`the answer to ${route}`, () => schema.parse(JSON.parse(new TextDecoder().decode(reply.bytes))));
}

/** Null where the server has no such route. */
export async function askIfServed<T>(
  link: Link,
  route: string,
  schema: z.ZodType<T>,
  options: { readonly body?: object; readonly signal?: AbortSignal } = {},
): Promise<T | null> {
  const reply = options.body
    ? await submit(link, { route, body: JSON.stringify(options.body), repeatable: true, signal: options.signal })
    : await link.ask("GET", route, { timeoutMs: link.limits.requestMs, signal: options.signal });
  if ([404, 405, 501].includes(reply.status)) return null;
  if (reply.status >= 300) throw refusal(link, route, reply);
  return parseReply(`the answer to ${route}`, () => schema.parse(JSON.parse(new TextDecoder().decode(reply.bytes))));
}
