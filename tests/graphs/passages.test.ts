import { describe, expect, it } from "vitest";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import type { SessionLimits } from "../../nodes/session/limits.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { readSection } from "../../policies/prompt-sections.ts";
import { createSource } from "../../retrieval/source.ts";
import { toolsets } from "../../tools/toolsets.ts";
import { perWord, playing } from "../support/scripts.ts";

const chunks = Array.from(
  { length: 30 },
  (_, k) => `Chunk ${k} speaks of apples and pears. ${`word${k} `.repeat(20)}end${k}.`,
);
const source = createSource(chunks);

async function ask(spec: string, question: string, limits: Partial<SessionLimits> = {}, position = chunks.length - 1) {
  const variant = await loadVariant(spec);
  const records: SessionRecord[] = [];
  const policy = playing([{ text: "\\boxed{x}" }], { countTokens: perWord });
  await variant.answer(
    null,
    { id: "q", text: question, position },
    {
      policy,
      source,
      toolset: toolsets.paper,
      prompts: loadPrompts(),
      limits: {
        promptTokens: 8_192,
        interactionTokens: 8_192,
        maxTurns: 4,
        maxCalls: 4,
        maxObservation: 512,
        ...limits,
      },
      run: "r",
      context: "c",
      trajectory: 0,
      seed: 0,
      record: (record) => records.push(record),
    },
  );
  const record = records[0]!;
  return { record, request: policy.requests[0]!, context: readSection(record.messages[1]!.text, "context") ?? "" };
}

describe("Concat: the end of the context, as much as the prompt budget holds", () => {
  it("a context that fits is there whole, in order", async () => {
    const { context, record } = await ask("concat", "Who?");
    expect(context).toBe(chunks.join("\n\n"));
    expect(record.truncated).toEqual({ core: 0, focus: 0, context: 0 });
  });

  it("a longer one is cut from its left, and the prompt is exactly at its budget", async () => {
    const { context, record } = await ask("concat", "Who?", { promptTokens: 300 });
    expect(chunks.join("\n\n").endsWith(context)).toBe(true);
    expect(context.endsWith("end29.")).toBe(true);
    expect(record.tokens.prompt).toBe(300);
    expect(record.truncated.context).toBe(chunks.join("\n\n").length - context.length);
    expect(readSection(record.messages[1]!.text, "question")).toBe("Who?");
  });

  it("only what is in memory at the question's position is there", async () => {
    expect((await ask("concat", "Who?", {}, 2)).context).toBe(chunks.slice(0, 3).join("\n\n"));
  });

  it("no tool is offered, and the record says that none was", async () => {
    const { request, record } = await ask("concat", "Who?");
    expect(request.tools).toEqual([]);
    expect(record).toMatchObject({ toolset: "none", turns: 1, answer: "\\boxed{x}", lastTurn: null });
  });
});

describe("RAG: whole passages, best first", () => {
  it("takes 20 by default and as many as it is told, each recorded as given", async () => {
    const count = async (spec: string) => (await ask(spec, "apples and pears")).record.given.length;
    expect(await count("rag")).toBe(20);
    expect(await count("rag:topK=5")).toBe(5);
    expect(await count("rag:topK=7:fusion=hybrid")).toBe(7);
  });

  it("the best passage stands first, under its chunk's number", async () => {
    const { context, record } = await ask("rag", "What does word17 mean?");
    expect(context.split("\n")[0]).toBe("[passage 1, chunk 18]");
    expect(record.given[0]).toMatchObject({ kind: "sub-chunk", id: "c17.0", rank: 1, span: { chunk: 17 } });
    expect(record.given.map((read) => read.rank)).toEqual(record.given.map((_, i) => i + 1));
  });

  it("passages that do not fit are left out whole, from the last one up, and nothing is cut", async () => {
    const { context, record } = await ask("rag", "apples and pears", { promptTokens: 300 });
    expect(record.given.length).toBeGreaterThan(2);
    expect(record.given.length).toBeLessThan(20);
    expect(record.truncated.context).toBe(0);
    expect(record.tokens.prompt).toBeLessThanOrEqual(300);
    const passages = context.split(/\[passage \d+, chunk \d+\]\n/).slice(1);
    expect(passages.map((passage) => passage.trim())).toEqual(
      record.given.map((read) => chunks[read.span!.chunk]!.slice(read.span!.start, read.span!.end)),
    );
  });

  it("a question that alone is over the budget is an error with the numbers, not an empty prompt", async () => {
    const variant = await loadVariant("rag");
    const records: SessionRecord[] = [];
    const policy = playing([], { countTokens: perWord });
    const answer = await variant.answer(
      null,
      { id: "q", text: "why ".repeat(400), position: 29 },
      {
        policy,
        source,
        toolset: toolsets.paper,
        prompts: loadPrompts(),
        limits: { promptTokens: 256, interactionTokens: 256, maxTurns: 4, maxCalls: 4, maxObservation: 512 },
        run: "r",
        context: "c",
        trajectory: 0,
        seed: 0,
        record: (record) => records.push(record),
      },
    );
    expect(answer).toBeNull();
    expect(records[0]?.error).toMatchObject({
      boundary: "budget",
      message: expect.stringContaining("the question takes 400 tokens"),
    });
  });
});
