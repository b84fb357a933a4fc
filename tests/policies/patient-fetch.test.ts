import { afterEach, describe, expect, it } from "vitest";
import { openaiPolicy } from "../../policies/openai.ts";
import { chatCompletionsServer, type StandIn } from "./chat-completions-server.ts";
import { request } from "./requests.ts";

interface Dispatcher {
  dispatch(options: { readonly headersTimeout?: number; readonly bodyTimeout?: number }, handler: object): boolean;
}
const GLOBAL_DISPATCHER = Symbol.for("undici.globalDispatcher.1");
const runtime = globalThis as unknown as { [GLOBAL_DISPATCHER]: Dispatcher };

new Headers(); // Node makes its dispatcher on first use
const usual = runtime[GLOBAL_DISPATCHER];
let server: StandIn | null = null;
afterEach(async () => {
  runtime[GLOBAL_DISPATCHER] = usual;
  await server?.close();
});

/** A runtime that gives up on every reply unless it is told to wait, as Node does after five minutes. */
const impatient: Dispatcher = {
  dispatch(options, handler) {
    if (options.headersTimeout !== 0 || options.bodyTimeout !== 0) throw new Error("waited long enough");
    return usual.dispatch(options, handler);
  },
};

const policyAt = (url: string, timeoutMs: number) =>
  openaiPolicy({ model: "small", baseURL: url, maxRetries: 0, timeoutMs }, {});

describe("a slow server", () => {
  it("may take the time that the policy allows, not the time that the runtime's fetch allows", async () => {
    server = await chatCompletionsServer(() => ({ message: { content: "late, but whole" } }));
    const policy = policyAt(server.url, 20_000);
    runtime[GLOBAL_DISPATCHER] = impatient;
    await expect(fetch(server.url, { method: "POST", body: "{}" })).rejects.toThrow();
    expect((await policy.sample(request("hello"))).text).toBe("late, but whole");
  });

  it("is still given up after the policy's own time", async () => {
    server = await chatCompletionsServer(() => "hang");
    await expect(policyAt(server.url, 60).sample(request("hello"))).rejects.toThrow(/no reply .* in time/);
  });
});
