import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { json, runHere, temporaryFolder } from "./run-cli.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function served(status: number, body: string): Promise<string> {
  const server = createServer((_request, response) => response.writeHead(status).end(body));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function modelServer(baseUrl: string) {
  const ran = await runHere(["doctor", "--base-url", baseUrl, "--json"], { cwd: temporaryFolder() });
  const { checks } = json<{ checks: { name: string; ok: boolean | null; seen: string; fix?: string }[] }>(ran);
  return { code: ran.code, check: checks.find(({ name }) => name === "model server")! };
}

describe("doctor asks a model server", () => {
  it("and lists its models", async () => {
    const { check } = await modelServer(`${await served(200, '{"data": [{"id": "small"}]}')}/v1`);
    expect(check).toMatchObject({ ok: true, seen: "1 model: small" });
  });

  it("and says which connection failed, and how", async () => {
    const url = await served(200, "{}");
    await new Promise((resolve) => servers.pop()!.close(resolve));
    const { code, check } = await modelServer(`${url}/v1`);
    expect(check).toMatchObject({
      ok: false,
      seen: `${url}/v1/models: ECONNREFUSED`,
      fix: expect.stringMatching(/is it running/),
    });
    expect(code).toBe(1);
  });

  it("and guesses at a path that is not there", async () => {
    const url = await served(404, "{}");
    expect((await modelServer(url)).check).toMatchObject({
      ok: false,
      seen: `${url}/models answers 404`,
      fix: expect.stringMatching("ends in /v1"),
    });
  });
});
