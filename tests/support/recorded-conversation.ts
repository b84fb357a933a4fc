/**
 * Conversations with a server as files: recorded by standing between client and server, played back in the server's place.
 *
 * An exchange is {method, route, accept, contentType, body, status, responseType, response}; bodies are text, or
 * {"base64": …} for protobuf. Polls that only said "try again" are not kept. When played back, a request has to be one that was
 * recorded, byte for byte; the same request twice gets the next of its answers, the last one again and again.
 */
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";

type Body = string | { readonly base64: string };

export interface Exchange {
  readonly method: string;
  readonly route: string;
  readonly accept: string | null;
  readonly contentType: string | null;
  readonly body: Body | null;
  readonly status: number;
  readonly responseType: string;
  readonly response: Body;
}

export interface Endpoint {
  readonly url: string;
  close(): Promise<void>;
}

/** Forwards everything to `target`. */
export async function startRecorder(target: string): Promise<Endpoint & { readonly exchanges: Exchange[] }> {
  const exchanges: Exchange[] = [];
  const endpoint = await listen(async (request) => {
    const response = await fetch(target + request.path, {
      method: request.method,
      headers: {
        ...(request.contentType && { "Content-Type": request.contentType }),
        ...(request.accept && { Accept: request.accept }),
        "X-API-Key": "tml-dummy",
      },
      ...(request.raw.length > 0 && { body: new Uint8Array(request.raw) }),
    });
    const raw = Buffer.from(await response.arrayBuffer());
    const responseType = response.headers.get("content-type") ?? "";
    const answer = { status: response.status, responseType, response: bodyOf(raw, responseType) };
    if (!JSON.stringify(answer.response).includes('\\"try_again\\"')) exchanges.push({ ...asked(request), ...answer });
    return { ...answer, raw };
  });
  return { ...endpoint, exchanges };
}

/** Answers as was recorded; what was never asked is a 500 that says so. */
export async function startReplay(
  exchanges: readonly Exchange[],
): Promise<Endpoint & { readonly unasked: () => Exchange[] }> {
  const left = new Map<string, Exchange[]>();
  const keyOf = (exchange: ReturnType<typeof asked>) =>
    JSON.stringify([exchange.method, exchange.route, exchange.accept, exchange.contentType, exchange.body]);
  const used = new Set<Exchange>();
  for (const exchange of exchanges) left.set(keyOf(exchange), [...(left.get(keyOf(exchange)) ?? []), exchange]);
  const endpoint = await listen(async (request) => {
    const answers = left.get(keyOf(asked(request)));
    if (!answers) {
      const detail = `not in the recording: ${request.method} ${request.path} ${request.raw.toString().slice(0, 400)}`;
      return { status: 422, responseType: "application/json", raw: Buffer.from(JSON.stringify({ detail })) };
    }
    const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
    used.add(answer);
    const { response } = answer;
    const raw = typeof response === "string" ? Buffer.from(response) : Buffer.from(response.base64, "base64");
    return { ...answer, raw };
  });
  return { ...endpoint, unasked: () => exchanges.filter((exchange) => !used.has(exchange)) };
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly accept: string | null;
  readonly contentType: string | null;
  readonly raw: Buffer;
}

const asked = ({ method, path, accept, contentType, raw }: Request) => ({
  method,
  route: path.replace(/^\/api\/v1\//, ""),
  accept: accept === "*/*" ? null : accept,
  contentType,
  body: raw.length === 0 ? null : bodyOf(raw, contentType ?? ""),
});

function bodyOf(raw: Buffer, type: string): Body {
  return type.includes("protobuf") ? { base64: raw.toString("base64") } : raw.toString();
}

type Answered = { readonly status: number; readonly responseType: string; readonly raw: Buffer };

async function listen(answer: (request: Request) => Promise<Answered>): Promise<Endpoint> {
  const server = createServer(async (message, response) => {
    const { status, responseType, raw } = await answer({
      method: message.method ?? "",
      path: message.url ?? "",
      accept: message.headers.accept ?? null,
      contentType: message.headers["content-type"] ?? null,
      raw: await readAll(message),
    });
    response.writeHead(status, { "Content-Type": responseType }).end(raw);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}
