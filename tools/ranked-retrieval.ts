/** The two search tools differ only in the ranking they ask for; arguments, result and reads are the same (App. A.2). */
import { z } from "zod";
import type { Hit } from "../retrieval/retriever.ts";
import type { Source, SourceSearchOptions } from "../retrieval/source.ts";
import { defineTool } from "./tool.ts";

const DEFAULT_TOP_K = 20;
/** More would never fit an observation; asking for more is no mistake. */
const MOST_TOP_K = 100;

export const rankedRetrieval = (options: {
  name: string;
  description: string;
  search(source: Source, query: string, topK: number, options: SourceSearchOptions): Promise<readonly Hit[]>;
}) =>
  defineTool({
    name: options.name,
    description: options.description,
    schema: z.object({
      query: z.string().min(1).describe("What to look for"),
      top_k: z.int().min(1).describe(`How many results at most; ${DEFAULT_TOP_K} by default`).optional(),
    }),
    phases: ["qa"],
    kind: "read",
    searchesContext: true,
    async run(world, { query, top_k = DEFAULT_TOP_K }, signal) {
      const { source } = world;
      if (!source)
        return { verdict: "valid", observation: "There is no raw context to search.", world, writes: [], reads: [] };
      const hits = await options.search(source, query, Math.min(top_k, MOST_TOP_K), {
        upTo: world.upTo,
        ...(signal && { signal }),
      });
      const found = hits.map((hit) => ({ hit, subChunk: source.subChunks[hit.index]! }));
      return {
        verdict: "valid",
        observation: {
          items: found.map(({ hit, subChunk }, i) =>
            JSON.stringify({ rank: i + 1, chunk: subChunk.chunk + 1, score: round(hit.score), text: subChunk.text }),
          ),
          render: (shown, omitted) =>
            `{"results":[${shown.join(",")}]${omitted === 0 ? "" : `,"left_out":${omitted}`}}`,
        },
        world,
        writes: [],
        reads: found.map(({ hit, subChunk }, i) => ({
          kind: "sub-chunk" as const,
          id: subChunk.id,
          rank: i + 1,
          score: hit.score,
          span: { chunk: subChunk.chunk, start: subChunk.start, end: subChunk.end },
        })),
      };
    },
  });

const round = (score: number) => Math.round(score * 1e4) / 1e4;
