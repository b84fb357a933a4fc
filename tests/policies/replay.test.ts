import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { afterAll, describe, expect, it } from "vitest";
import { extractive } from "../../policies/extractive/extractive.ts";
import { recordingPolicy } from "../../policies/recording-policy.ts";
import { replay } from "../../policies/replay.ts";
import { scriptedPolicy } from "../../policies/scripted-chat-model.ts";
import type { Transcript } from "../../policies/transcript.ts";
import { readTranscript, transcriptWriter } from "../../policies/transcript-file.ts";
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

  it("plays what was written turn by turn, by several runs, and as far as a killed one came", async () => {
    const path = join(folder, "written.jsonl");
    for (const question of ["When did Caroline go to the support group?", "What did Melanie paint?"])
      await playSession(
        recordingPolicy(extractive(), { write: transcriptWriter(path, "extractive") }),
        qaRequest(question),
      );
    const whole = readTranscript(path);
    expect(whole).toMatchObject({ policy: "extractive", version: 1 });
    appendFileSync(path, '{"hash": "cut o');
    expect(readTranscript(path)).toEqual(whole);
    const later = recordingPolicy(extractive(), { write: transcriptWriter(path, "extractive") });
    await playSession(later, memoryRequest());
    expect(readTranscript(path).turns.slice(0, whole.turns.length)).toEqual(whole.turns);
    expect(later.transcript().turns).toEqual([]);
    const policy = replay({ transcript: path });
    await playSession(policy, memoryRequest());
    await playSession(policy, qaRequest("What did Melanie paint?"));
  });

  it("says of a cut reply that it was cut, and reads transcripts from before that was kept", async () => {
    const reply = new AIMessage({ content: "Half a", response_metadata: { finish_reason: "length" } });
    const recorder = recordingPolicy(scriptedPolicy({ name: "s", script: () => reply }));
    await recorder.sample(request("x"));
    const transcript = recorder.transcript();
    expect(await replay({ transcript }).sample(request("x"))).toMatchObject({ text: "Half a", cut: "length" });
    const path = join(folder, "older.json");
    const { cut: _later, ...older } = transcript.turns[0]!.reply;
    writeFileSync(path, JSON.stringify({ ...transcript, turns: [{ ...transcript.turns[0], reply: older }] }));
    expect((await replay({ transcript: path }).sample(request("x"))).cut).toBeNull();
  });

  it("is not added to a file of something else, or of another policy", () => {
    const notes = join(folder, "notes.txt");
    writeFileSync(notes, "dear diary");
    expect(() => transcriptWriter(notes, "extractive")).toThrow(/is there already and cannot be added to/);
    const line = join(folder, "line.txt");
    writeFileSync(line, "no newline yet");
    expect(() => transcriptWriter(line, "extractive")).toThrow(/cannot be added to/);
    expect(readFileSync(notes, "utf8") + readFileSync(line, "utf8")).toBe("dear diaryno newline yet");
    const path = join(folder, "one-policy.jsonl");
    transcriptWriter(path, "extractive");
    expect(readTranscript(path)).toEqual({
      format: "umagraph-transcript",
      version: 1,
      policy: "extractive",
      turns: [],
    });
    expect(() => transcriptWriter(path, "openai:m")).toThrow(/holds a transcript of extractive, not of openai:m/);
    expect(() => transcriptWriter(join(folder, "no-such-folder", "t.jsonl"), "s")).toThrow(
      /cannot open .* for writing/,
    );
  });

  it("says what is wrong with a file that is no transcript", () => {
    expect(() => replay({ transcript: join(folder, "missing.json") })).toThrow(/cannot read the transcript/);
    const path = join(folder, "other.json");
    writeFileSync(path, '{"format": "something"}');
    expect(() => replay({ transcript: path })).toThrow(/is no transcript/);
  });
});
