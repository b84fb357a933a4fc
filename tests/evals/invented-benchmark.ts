/**
 * A small benchmark whose answers show which memory they were given, and a policy that keeps one entry per chunk.
 *
 * Each chunk says one word. Asked after chunk k, the right answer is the words of chunks 0..k, in order.
 */
import { setImmediate } from "node:timers/promises";
import { z } from "zod";
import { rng } from "../../base/rng.ts";
import { type Benchmark, defineBenchmark, type EvalContext } from "../../evals/benchmark.ts";
import { exactMatch } from "../../evals/metrics/exact-match.ts";
import type { Policy, SampleRequest } from "../../policies/policy.ts";
import { readSection } from "../../policies/prompt-sections.ts";
import { perCharacter, type Step, sampleOf } from "../support/scripts.ts";

const config = z.object({
  contexts: z.int().default(3),
  chunks: z.int().default(4),
  /** Changes the data. */
  word: z.string().default("word"),
  leaveOut: z.string().nullable().default(null),
});

export const wordsBenchmark: Benchmark = defineBenchmark({
  name: "words",
  family: "ST",
  paper: "none",
  description: "which words have come so far",
  config,
  async *load(given) {
    for (let c = 0; c < given.contexts; c++) if (`c${c}` !== given.leaveOut) yield contextOf(c, given);
  },
  metrics: [exactMatch],
  headline: exactMatch.name,
}) as unknown as Benchmark;

function contextOf(c: number, { chunks, word }: z.infer<typeof config>): EvalContext {
  const words = Array.from({ length: chunks }, (_, k) => `${word}${c}${k}`);
  return {
    id: `c${c}`,
    facets: { chunks },
    chunks: words.map((each) => `${each}\n${"and much else. ".repeat(30)}`),
    // asked after every chunk, twice after the last
    questions: [...words.keys(), chunks - 1].map((position, i) => ({
      id: `${i}`,
      text: `Which words so far, in context ${c}, question ${i}?`,
      answer: words.slice(0, position + 1).join(" "),
      position,
      category: position === chunks - 1 ? "end" : "mid-stream",
    })),
  };
}

export interface WordKeeper extends Policy {
  /** What was asked, one line per call: "memory word00 turn 0", "qa c1 question 2 turn 1". */
  readonly asked: string[];
}

/** Takes a random number of turns of the event loop per call. `instead` may answer, or throw, in its place. */
export function wordKeeper(
  options: { name?: string; instead?: (asked: string, request: SampleRequest) => Step | undefined } = {},
): WordKeeper {
  const asked: string[] = [];
  return {
    name: options.name ?? "word-keeper",
    scripted: true,
    weights: null,
    countTokens: perCharacter,
    asked,
    async sample(request) {
      const prompt = request.messages.map((message) => message.text).join("\n");
      const chunk = readSection(prompt, "chunk");
      const turn = request.messages.filter((message) => message.getType() === "ai").length;
      const word = chunk?.split("\n")[0];
      const [, context, number] = /in context (\d+), question (\d+)/.exec(prompt) ?? [];
      const line =
        word === undefined ? `qa c${context} question ${number} turn ${turn}` : `memory ${word} turn ${turn}`;
      asked.push(line);
      for (let waits = rng(request.seed, "waits").int(0, 6); waits > 0; waits--) await setImmediate();
      if (request.signal?.aborted) throw request.signal.reason;
      const step = options.instead?.(line, request);
      if (step) return sampleOf(step, turn);
      if (word !== undefined) {
        if (turn === 0) return sampleOf({ calls: [["memory_add", { title: word, content: chunk! }]] }, turn);
        return sampleOf({ text: `${readSection(prompt, "core_memory")} ${word}`.trim() }, turn);
      }
      if (turn === 0) return sampleOf({ calls: [["memory_list", {}]] }, turn);
      const listed = request.messages.at(-1)!.text.match(/word\d+/g) ?? [];
      return sampleOf({ text: `\\boxed{${listed.join(" ")}}` }, turn);
    },
  };
}
