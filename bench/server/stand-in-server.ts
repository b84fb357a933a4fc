/**
 * An OpenAI-compatible chat completions server for benches and fault tests: it takes its time, fails, hangs and dies as told,
 * and remembers what it was asked.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type Fault, type Faults, faultOf, noFaults } from "./faults.ts";
import { type ChatRequest, standInReply, turnOf } from "./stand-in-model.ts";

export interface StandInOptions extends Partial<Faults> {
  /** ms from the end of a request to its answer. */
  readonly latency?: number;
  /** 0, the default, takes any that is free. */
  readonly port?: number;
}

/** One line of the request log. */
export interface RequestLine {
  /** What the client sent: umagraph derives one from run, context, trajectory, stage, position and turn. */
  readonly seed: number | null;
  /** 0-based. */
  readonly turn: number;
  /** `served` the whole answer was written · `lost` the client or the connection was gone by then. */
  outcome: "waiting" | "served" | "lost" | Fault;
}

export interface StandInServer {
  /** As a base URL. */
  readonly url: string;
  readonly requests: readonly RequestLine[];
  /** How often it has died. */
  outages(): number;
  close(): Promise<void>;
}

export async function standInServer(options: StandInOptions = {}): Promise<StandInServer> {
  const { latency = 0 } = options;
  const faults: Faults = { ...noFaults, ...options };
  const requests: RequestLine[] = [];
  let outages = 0;
  let closed = false;
  let server: Server;
  let port = options.port ?? 0;

  const listen = async () => {
    server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => void answer(request, response));
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, "127.0.0.1", resolve);
    });
    port = (server.address() as AddressInfo).port;
  };
  const die = (ms: number) => {
    outages++;
    server.close();
    server.closeAllConnections();
    setTimeout(() => {
      if (!closed) void listen();
    }, ms);
  };
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    if (request.method === "GET") return send(response, 200, requests);
    let body: ChatRequest;
    try {
      body = JSON.parse(await textOf(request)) as ChatRequest;
    } catch {
      return response.destroy();
    }
    if (closed) return response.destroy();
    const line: RequestLine = { seed: body.seed ?? null, turn: turnOf(body), outcome: "waiting" };
    const number = requests.push(line) - 1;
    if (number === faults.outage?.request) {
      line.outcome = "lost";
      return die(faults.outage.ms);
    }
    const fault = faultOf(number, faults);
    if (fault !== null) line.outcome = fault;
    if (fault === "hang") return;
    response.once("close", () => {
      if (line.outcome === "waiting") line.outcome = "lost";
    });
    setTimeout(() => {
      if (response.destroyed) return;
      if (fault === "fail") return send(response, 500, { error: { message: "the stand-in fails as it was told to" } });
      line.outcome = "served";
      send(response, 200, completionOf(body));
    }, latency);
  };
  await listen();
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests,
    outages: () => outages,
    close() {
      closed = true;
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}

function completionOf(body: ChatRequest) {
  const message = standInReply(body);
  const finish_reason = message.tool_calls ? "tool_calls" : "stop";
  return {
    ...{ id: "chatcmpl-stand-in", object: "chat.completion", created: 1, model: "stand-in" },
    choices: [{ index: 0, finish_reason, message: { role: "assistant", ...message } }],
  };
}

function send(response: ServerResponse, status: number, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(body) });
  response.end(body);
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("utf8");
}
