/**
 * RAG: the top k passages of a fused search in the prompt, then one reply (Table 1, "RAG (k = 20)"; UMA App. F).
 *
 * Passages are whole and best first; those that do not fit the prompt budget are left out from the last one up.
 */
import { z } from "zod";
import { passageVariant } from "../passages.ts";
import { defineVariant } from "../variant.ts";

export const factory = defineVariant({
  name: "rag",
  params: z.strictObject({
    topK: z.coerce.number().int().min(1).max(1_000).default(20).describe("Passages to retrieve"),
    fusion: z
      .enum(["rrf", "hybrid"])
      .default("rrf")
      .describe("rrf: reciprocal rank fusion, the paper's; hybrid: min-max score fusion"),
  }),
  create: ({ topK, fusion }) =>
    passageVariant({
      name: ["rag", topK !== 20 && `topK=${topK}`, fusion !== "rrf" && `fusion=${fusion}`].filter(Boolean).join(":"),
      paper: `RAG (k = ${topK})`,
      description: "the best passages of the raw context for the question",
      promptUse: "rag",
      async passages({ source, question, position, room, countTokens }) {
        const hits = await source[fusion](question, topK, { upTo: position });
        const texts: string[] = [];
        let left = room;
        for (const hit of hits) {
          const text = `[passage ${texts.length + 1}, chunk ${source.subChunks[hit.index]!.chunk + 1}]\n${source.subChunks[hit.index]!.text}`;
          left -= countTokens(text) + 2;
          if (left < 0) break;
          texts.push(text);
        }
        return {
          context: texts.join("\n\n"),
          given: hits.slice(0, texts.length).map((hit, i) => {
            const { id, chunk, start, end } = source.subChunks[hit.index]!;
            return { kind: "sub-chunk" as const, id, rank: i + 1, score: hit.score, span: { chunk, start, end } };
          }),
        };
      },
    }),
});
