import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { HumanMessage } from "@langchain/core/messages";
import { afterAll, describe, expect, it } from "vitest";
import { extractive } from "../../policies/extractive/extractive.ts";
import { recordingPolicy } from "../../policies/recording-policy.ts";
import { replay } from "../../policies/replay.ts";
import { scriptedPolicy } from "../../policies/scripted-chat-model.ts";
import type { Transcript } from "../../policies/transcript.ts";
import { policyContract } from "../contracts/policy.ts";
import { memoryRequest, playSession, qaRequest, request } from "./requests.ts";

const folder = mkdtempSync(join(tmpdir(), "umagraph-replay-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

policyContract(
  "replay",
  async () => {
    const recorder = recordingPolicy(extractive());
    for (let k = 0; k < 2; k++) {
      await playSession(recorder, memoryRequest());
      await playSession(recorder, qaRequest("When did Caroline go to the support group?"));
    }
    return { policy: replay({ transcript: recorder.transcript() }) };
  },
  { skips: [{ test: "streams in a graph", why: "there is no chat model in it" }] },
);

async function recorded(): Promise<Transcript> {
  const recorder = recordingPolicy(extractive());
  await playSession(recorder, memoryRequest());
  return recorder.transcript();
}

describe("replay", () => {
  it("plays a session back as it was, from a file too", async () => {
    const original = await playSession(extractive(), memoryRequest());
    const path = join(folder, "session.json");
    writeFileSync(path, JSON.stringify(await recorded()));
    const policy = replay({ transcript: path });
    const played = await playSession(policy, memoryRequest());
    expect(policy).toMatchObject({ name: "replay:extractive", scripted: true });
    expect(played.samples.map(({ text, calls, usage }) => ({ text, calls, usage }))).toEqual(
      original.samples.map(({ text, calls, usage }) => ({ text, calls, usage })),
    );
    expect(played.messages.map((message) => message.text)).toEqual(original.messages.map((message) => message.text));
  });

  it("does not mind another seed or another room, which the policy does not read", async () => {
    const policy = replay({ transcript: await recorded() });
    await playSession(policy, memoryRequest(undefined, "", { seed: 99, maxTokens: 17 }));
  });

  it("plays sessions that ran side by side in whatever order they come back", async () => {
    const recorder = recordingPolicy(
      scriptedPolicy({ name: "s", script: ({ messages }) => ({ text: `re: ${messages.at(-1)!.text}` }) }),
    );
    for (const text of ["a", "b", "a"]) await recorder.sample(request(text));
    const policy = replay({ transcript: recorder.transcript() });
    for (const text of ["b", "a", "a"]) expect((await policy.sample(request(text))).text).toBe(`re: ${text}`);
    await expect(policy.sample(request("a"))).rejects.toThrow(
      "all 3 recorded turns were played, and one more was asked for",
    );
  });

  it("fails where what is shown differs, and shows the place", async () => {
    const policy = replay({ transcript: await recorded() });
    const changed = memoryRequest().messages.map((message) =>
      message.getType() === "human" ? new HumanMessage(message.text.replace("powerful", "wonderful")) : message,
    );
    const thrown = await policy
      .sample({ ...memoryRequest(), messages: changed })
      .catch((error: unknown) => error as Error);
    expect(thrown).toMatchObject({ code: "input" });
    expect((thrown as Error).message).toMatch(
      /Closest is turn 1:\nmessage 2, character \d+:\n- human: ….*it was so powerful\..*\n\+ human: ….*it was so wonderful\./,
    );
  });

  it("fails where the tools differ, and where a message is missing or new", async () => {
    const policy = replay({ transcript: await recorded() });
    await expect(policy.sample(memoryRequest(undefined, "", { tools: [] }))).rejects.toThrow(
      /- tools: memory_add, memory_key_retrieve, memory_list\n\+ tools: none/,
    );
    const { messages } = memoryRequest();
    await expect(policy.sample({ ...memoryRequest(), messages: messages.slice(0, 1) })).rejects.toThrow(
      /\+ \(ends after 1 messages\)/,
    );
    await expect(
      policy.sample({ ...memoryRequest(), messages: [...messages, new HumanMessage("more")] }),
    ).rejects.toThrow(/- \(ends after 2 messages\)\n\+ message 3, human: more/);
  });

  it("of hashes alone plays too, and says that it cannot explain a difference", async () => {
    const recorder = recordingPolicy(extractive(), { messages: false });
    await playSession(recorder, memoryRequest());
    const transcript = recorder.transcript();
    expect(JSON.stringify(transcript)).not.toContain("<chunk>");
    const policy = replay({ transcript });
    await expect(policy.sample(request("other"))).rejects.toThrow("the transcript holds hashes only");
    await playSession(policy, memoryRequest());
  });

  it("says what is wrong with a file that is no transcript", () => {
    expect(() => replay({ transcript: join(folder, "missing.json") })).toThrow(/cannot read the transcript/);
    const path = join(folder, "other.json");
    writeFileSync(path, '{"format": "something"}');
    expect(() => replay({ transcript: path })).toThrow(/is no transcript/);
  });
});
