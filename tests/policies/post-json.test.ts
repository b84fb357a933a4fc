import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { globalDispatcher } from "../../policies/dispatcher.ts";
import { openaiPolicy } from "../../policies/openai.ts";
import { postJson } from "../../policies/post-json.ts";
import { request } from "./requests.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serverThat(answers: RequestListener): Promise<string> {
  const server = createServer(answers);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const post = (url: string, signal?: AbortSignal) =>
  postJson(globalDispatcher()!, {
    url: new URL(url),
    headers: { "content-type": "application/json" },
    body: { a: "ä" },
    signal,
  });

describe("a direct POST", () => {
  it("sends the body as JSON and gives status, headers and text, whatever the pieces it came in", async () => {
    const url = await serverThat(async (incoming, response) => {
      const said: Buffer[] = [];
      for await (const piece of incoming) said.push(piece as Buffer);
      response.writeHead(418, { "x-said": Buffer.concat(said).toString("base64"), "set-cookie": ["a=1", "b=2"] });
      const bytes = Buffer.from(`${incoming.method} ${incoming.url} größer`);
      response.write(bytes.subarray(0, -4));
      setTimeout(() => response.end(bytes.subarray(-4)), 20);
    });
    const answer = await post(`${url}/v1/chat?a=b`);
    expect(answer).toMatchObject({ status: 418, text: "POST /v1/chat?a=b größer" });
    expect(Buffer.from(answer.headers().get("x-said")!, "base64").toString()).toBe('{"a":"ä"}');
    expect(answer.headers().getSetCookie()).toEqual(["a=1", "b=2"]);
  });

  it("ends at its signal, before it is sent and while it waits, and closes the connection then", async () => {
    let closed = () => {};
    const gone = new Promise<void>((resolve) => {
      closed = resolve;
    });
    let reached = () => {};
    const asked = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const url = await serverThat((_, response) => {
      response.on("close", closed);
      reached();
    });
    await expect(post(url, AbortSignal.abort(new Error("too late")))).rejects.toThrow("too late");
    const controller = new AbortController();
    const waiting = post(url, controller.signal);
    await asked;
    controller.abort(new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await gone;
  });

  it("rejects with the connection's code when nobody listens, and when the other side hangs up", async () => {
    const url = await serverThat((_, response) => void response.destroy());
    await expect(post(url)).rejects.toMatchObject({ code: "UND_ERR_SOCKET" });
    servers[0]!.close();
    servers[0]!.closeAllConnections();
    await expect(post(url)).rejects.toMatchObject({ code: expect.stringMatching(/ECONN|UND_ERR/) });
  });
});

it("a server that sends the policy elsewhere is followed", async () => {
  const seen: string[] = [];
  const url = await serverThat((incoming, response) => {
    seen.push(`${incoming.method} ${incoming.url}`);
    if (incoming.url === "/old/chat/completions") {
      response.writeHead(307, { location: "/new/chat/completions" }).end();
      return;
    }
    const message = { role: "assistant", content: "here" };
    response.writeHead(200, { "content-type": "application/json" });
    response.end(JSON.stringify({ choices: [{ index: 0, finish_reason: "stop", message }] }));
  });
  const policy = openaiPolicy({ model: "small", baseURL: `${url}/old`, maxRetries: 0 }, {});
  expect((await policy.sample(request("hello"))).text).toBe("here");
  expect(seen.at(-1)).toBe("POST /new/chat/completions");
});
