/** A local HTTP server that speaks OpenAI chat completions as a test tells it to, faults included. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface WireCall {
  readonly id?: string;
  readonly type?: "function";
  readonly function: { readonly name?: string; readonly arguments?: unknown };
}

export interface WireMessage {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly WireCall[];
  readonly function_call?: { readonly name: string; readonly arguments: string };
  readonly tool_call_id?: string;
}

export interface RequestBody {
  readonly model: string;
  readonly messages: readonly WireMessage[];
  readonly tools?: readonly unknown[];
  readonly tool_choice?: unknown;
  readonly stream?: boolean;
  readonly max_tokens?: number;
  readonly seed?: number;
  readonly [field: string]: unknown;
}

export type Answer =
  | { readonly message: Omit<WireMessage, "role">; readonly finish?: string; readonly usage?: boolean }
  | { readonly status: number; readonly body: unknown; readonly headers?: Record<string, string> }
  | { readonly html: string }
  | { readonly json: unknown }
  /** Server-sent events; `finish: null` closes the stream in the middle. */
  | { readonly deltas: readonly object[]; readonly finish: string | null }
  /** Never answers. */
  | "hang"
  /** Closes the connection without a word. */
  | "reset"
  /** Half a body, then closes. */
  | "truncate";

export interface StandIn {
  readonly url: string;
  readonly requests: readonly RequestBody[];
  /** The most requests that were open at once. */
  readonly mostAtOnce: () => number;
  close(): Promise<void>;
}

export async function chatCompletionsServer(
  answer: (body: RequestBody, index: number) => Answer | Promise<Answer>,
  port = 0,
): Promise<StandIn> {
  const requests: RequestBody[] = [];
  let open = 0;
  let mostOpen = 0;
  const server = createServer(async (request, response) => {
    open++;
    mostOpen = Math.max(mostOpen, open);
    response.on("close", () => open--);
    const body = JSON.parse(await textOf(request)) as RequestBody;
    requests.push(body);
    send(response, await answer(body, requests.length - 1), body);
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}/v1`,
    requests,
    mostAtOnce: () => mostOpen,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}

const envelope = { id: "chatcmpl-1", created: 1, model: "stand-in" };
const usage = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

function send(response: ServerResponse, answer: Answer, body: RequestBody): void {
  const json = (value: unknown, status = 200, headers: Record<string, string> = {}) => {
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify(value));
  };
  if (answer === "hang") return;
  if (answer === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  if (answer === "truncate") {
    response.writeHead(200, { "content-type": "application/json", "content-length": "500" });
    response.write('{"id":"chatcmpl-1","choices":[{"index":0,"mess');
    setTimeout(() => response.socket?.destroy(), 5);
    return;
  }
  if ("status" in answer) {
    json(answer.body, answer.status, answer.headers);
    return;
  }
  if ("html" in answer) {
    response.writeHead(200, { "content-type": "text/html" });
    response.end(answer.html);
    return;
  }
  if ("json" in answer) {
    json(answer.json);
    return;
  }
  if ("deltas" in answer) {
    stream(response, answer.deltas, answer.finish, true);
    return;
  }
  const finish = answer.finish ?? (answer.message.tool_calls ? "tool_calls" : "stop");
  const counted = answer.usage ?? true;
  if (body.stream) {
    stream(response, deltasOf(answer.message), finish, counted);
    return;
  }
  json({
    ...envelope,
    object: "chat.completion",
    choices: [{ index: 0, finish_reason: finish, message: { role: "assistant", ...answer.message } }],
    ...(counted ? { usage } : {}),
  });
}

function stream(response: ServerResponse, deltas: readonly object[], finish: string | null, counted: boolean): void {
  response.writeHead(200, { "content-type": "text/event-stream" });
  const event = (choices: unknown[], extra: object = {}) =>
    response.write(`data: ${JSON.stringify({ ...envelope, object: "chat.completion.chunk", choices, ...extra })}\n\n`);
  for (const delta of deltas) event([{ index: 0, delta, finish_reason: null }]);
  if (finish === null) {
    response.end();
    return;
  }
  event([{ index: 0, delta: {}, finish_reason: finish }]);
  if (counted) event([], { usage });
  response.end("data: [DONE]\n\n");
}

/** As servers stream: the role first, text and arguments in small pieces. */
function deltasOf(message: Omit<WireMessage, "role">): object[] {
  const text = typeof message.content === "string" ? message.content : "";
  const pieces = (whole: string) => whole.match(/[\s\S]{1,7}/g) ?? [];
  return [
    { role: "assistant", content: "" },
    ...pieces(text).map((content) => ({ content })),
    ...(message.tool_calls ?? []).flatMap((call, index) => [
      { tool_calls: [{ index, id: call.id, type: "function", function: { name: call.function.name, arguments: "" } }] },
      ...pieces(String(call.function.arguments ?? "")).map((part) => ({
        tool_calls: [{ index, function: { arguments: part } }],
      })),
    ]),
  ];
}

export const toolCall = (id: string | undefined, name: string, args: unknown): WireCall => ({
  ...(id === undefined ? {} : { id }),
  type: "function",
  function: { name, arguments: args },
});
