/** What the teacher's sessions are trained as is what a token-exact policy that replies like the teacher would leave. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ledgerQa } from "../../../evals/benchmarks/ledger-qa/benchmark.ts";
import { ledgerQaConfig } from "../../../evals/benchmarks/ledger-qa/config.ts";
import { loadPrompts } from "../../../nodes/prompts/prompts.ts";
import { type RecordedTrace, tracePartsOf } from "../../../nodes/session/recorded-trace.ts";
import { type ChatFormat, chatFormat } from "../../../policies/token-exact/chat-format.ts";
import { readModelFiles } from "../../../policies/token-exact/model-files.ts";
import { TokenExactChatModel } from "../../../policies/token-exact/token-exact-chat-model.ts";
import { tokenExactPolicy } from "../../../policies/token-exact/token-exact-policy.ts";
import type { TokenSampler } from "../../../policies/token-exact/token-sampler.ts";
import { sampleRollouts } from "../../../rollouts/sample-rollouts.ts";
import { toolsets } from "../../../tools/toolsets.ts";
import { chatTemplate } from "../../../trainers/sft/model/chat-template.ts";
import { countPieces, policyTokenizer } from "../../../trainers/sft/model/policy-tokenizer.ts";
import { readExamples } from "../../../trainers/sft/read-examples.ts";
import { sessionTrace } from "../../../trainers/sft/session-trace.ts";
import type { SupervisedSession } from "../../../trainers/sft/supervised-session.ts";
import { teacherSessions } from "../../../trainers/sft/teacher-sessions.ts";
import { writeSessions } from "../../../trainers/sft/write-sessions.ts";

const options = { profile: "micro", split: "train", horizons: [4], questions: 3, seed: 1 } as const;

let folder: string;
let format: ChatFormat;
const sessions: SupervisedSession[] = [];
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "umagraph-trace-"));
  for await (const session of teacherSessions(options)) if (sessions.push(session) === 28) break;
  const tokenizer = policyTokenizer(
    countPieces(
      sessions.flatMap(({ messages }) => messages.map(({ text }) => text)),
      1,
    ),
  );
  writeFileSync(join(folder, "tokenizer.json"), tokenizer);
  writeFileSync(join(folder, "chat_template.jinja"), chatTemplate);
  format = chatFormat(await readModelFiles(folder));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a teacher's session as tokens", () => {
  it("is the trace of a policy that samples the same replies", async () => {
    const traces = sessions.map(({ id, messages }) => sessionTrace(messages, format, id)[0]!);
    const sampler: TokenSampler = {
      weights: null,
      maxContext: null,
      async sample({ promptIds }) {
        const trace = traces.find(
          ({ ids, mask }) => mask[promptIds.length] === 1 && promptIds.every((id, t) => id === ids[t]),
        )!;
        const end = trace.mask.indexOf(0, promptIds.length);
        const ids = trace.ids.slice(promptIds.length, end < 0 ? undefined : end);
        return { ids, logprobs: new Float32Array(ids.length), stop: "stop", weights: null };
      },
    };
    const contexts = [];
    const config = ledgerQaConfig.parse({
      profile: "micro",
      split: "train",
      horizon: [4],
      contexts: 2,
      seed: 1_000_000,
    });
    for await (const context of ledgerQa.load(config)) contexts.push(context);
    const left = new Map<string, RecordedTrace>();
    const policy = tokenExactPolicy(new TokenExactChatModel({ name: "as the teacher", sampler, format }));
    const playing = { G: 1, M: 3, policy, toolset: toolsets.ledger, prompts: loadPrompts("micro"), seed: 0 };
    for await (const record of sampleRollouts(contexts, playing)) left.set(record.id, record.trace!);
    let compared = 0;
    for (const [i, { id }] of sessions.entries()) {
      const trace = left.get(id);
      if (!trace) continue;
      compared++;
      expect(tracePartsOf(trace)[0]!.ids, id).toEqual(traces[i]!.ids);
      expect(tracePartsOf(trace)[0]!.mask, id).toEqual(traces[i]!.mask);
    }
    expect(compared).toBeGreaterThanOrEqual(14);
  });

  it("trains what the teacher wrote and the end of it, nothing else", () => {
    for (const { id, messages } of sessions) {
      const [{ ids, mask } = { ids: new Int32Array(), mask: new Uint8Array() }] = sessionTrace(messages, format, id);
      const trained = format.tokenizer.decode(ids.filter((_, t) => mask[t] === 1));
      const written = messages.filter(({ role }) => role === "assistant");
      expect(trained.split("<|end|>")).toHaveLength(written.length + 1);
      expect(trained).toContain(written.at(-1)!.text);
      expect(trained).not.toContain("said");
      expect(mask[0]).toBe(0);
    }
  });

  it("needs a reply", () => {
    expect(() => sessionTrace([{ role: "user", text: "Hello." }], format, "s1")).toThrow(
      "s1: expected at least one reply",
    );
  });
});

describe("a set of sessions", () => {
  it("is written once, and read as the same sequences with and without what was encoded before", async () => {
    const path = join(folder, "sessions.jsonl");
    expect(await writeSessions(path, { ...options, count: 20 })).toBe(20);
    expect(await writeSessions(path, { ...options, count: 20 })).toBe(0);
    const reading = { format, template: chatTemplate, maxTokens: 1_000 };
    const first = await readExamples(path, reading);
    const again = await readExamples(path, reading);
    expect(again).toEqual(first);
    expect(first.map(({ part }) => part.ids)).toEqual(
      sessions.slice(0, 20).map(({ id, messages }) => sessionTrace(messages, format, id)[0]!.ids),
    );
    const short = await readExamples(path, { ...reading, maxTokens: 90, limit: 5 });
    expect(short.length).toBeLessThanOrEqual(5);
    for (const { part } of short) expect(part.ids.length).toBeLessThanOrEqual(90);
  });

  it("says which line is no session", async () => {
    const path = join(folder, "broken.jsonl");
    writeFileSync(path, `${readFileSync(join(folder, "sessions.jsonl"), "utf8").split("\n")[0]}\n{"id":"x"}\n`);
    await expect(readExamples(path, { format, template: chatTemplate, maxTokens: 99 })).rejects.toThrow("line 2");
  });
});
