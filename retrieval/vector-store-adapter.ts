/**
 * Other people's retrieval as ours: any LangChain vector store or retriever can stand in for a list of a source.
 *
 * Both adapters know a document by its position. The store is filled here and each document carries its position in
 * its metadata; a retriever is someone else's, so its documents are recognised by that metadata or by their exact text.
 */
import { Document, type DocumentInterface } from "@langchain/core/documents";
import { messageOf, UmaError } from "../base/errors.ts";
import { checkSearch, type Hit, orCancelled, type Retriever, type SearchOptions } from "./retriever.ts";
import { bestFirst } from "./top-hits.ts";

/** The part of a LangChain vector store that is used. */
export interface VectorStoreLike {
  addDocuments(documents: DocumentInterface[]): Promise<unknown>;
  similaritySearchWithScore(query: string, k: number): Promise<[DocumentInterface, number][]>;
}

/** The part of a LangChain retriever that is used. */
export interface LangChainRetrieverLike {
  invoke(query: string, config?: { signal?: AbortSignal }): Promise<DocumentInterface[]>;
}

export interface VectorStoreOptions {
  readonly name?: string;
  /**
   * What the store calls a score. `similarity`: higher is better (the in-memory store). `distance`: lower is better
   * (HNSWLib, FAISS, Chroma); a hit then scores 1 − distance.
   */
  readonly scores?: "similarity" | "distance";
}

/** The metadata field that holds a document's position. */
const positionKey = "umagraphIndex";

/** Fills the (empty) store with the texts. Throws `provider` when the store fails or answers in the wrong order. */
export async function fromVectorStore(
  store: VectorStoreLike,
  texts: readonly string[],
  options: VectorStoreOptions = {},
): Promise<Retriever> {
  const { name = "vector-store", scores = "similarity" } = options;
  const documents = texts.flatMap((pageContent, index) =>
    pageContent.trim() === "" ? [] : [new Document({ pageContent, metadata: { [positionKey]: index } })],
  );
  if (documents.length > 0) await reported(name, store.addDocuments(documents));

  const hitsOf = (found: readonly [DocumentInterface, number][]): Hit[] => {
    const hits = found.map(([document, score]) => {
      const index: unknown = document.metadata[positionKey];
      if (typeof index !== "number" || texts[index] === undefined) {
        throw new UmaError("provider", `${name}: found a document that was not added here`, {
          fix: "give fromVectorStore a store of its own, empty and not shared",
        });
      }
      return { index, score: scores === "distance" ? 1 - score : score };
    });
    if (hits.some((hit, i) => i > 0 && hit.score > hits[i - 1]!.score + 1e-6)) {
      const other = scores === "distance" ? "similarity" : "distance";
      throw new UmaError("provider", `${name}: the store's scores get better towards the end of its list`, {
        fix: `pass { scores: "${other}" }`,
      });
    }
    return hits.filter((hit) => !Number.isNaN(hit.score));
  };

  return {
    name,
    async search(query, topK, searchOptions = {}) {
      const visible = checkSearch(topK, texts.length, searchOptions);
      if (query.trim() === "" || topK === 0 || visible === 0 || documents.length === 0) return [];
      // stores filter in different ways, so ask for more until enough of it may be seen
      for (let k = visible === texts.length ? topK : 2 * topK; ; k *= 2) {
        const asked = Math.min(k, documents.length);
        const request = reported(name, store.similaritySearchWithScore(query, asked));
        const seen = hitsOf(await orCancelled(request, searchOptions.signal)).filter(({ index }) => index < visible);
        if (seen.length >= topK || asked === documents.length) return seen.sort(bestFirst).slice(0, topK);
      }
    },
  };
}

/**
 * A LangChain retriever decides itself how many documents it returns and gives no scores: hits score 1 / rank, there
 * are at most as many as it returns, and a restricted view filters what came.
 */
export function fromLangChainRetriever(
  retriever: LangChainRetrieverLike,
  texts: readonly string[],
  options: { readonly name?: string } = {},
): Retriever {
  const { name = "retriever" } = options;
  const positions = new Map<string, number>();
  texts.forEach((text, index) => {
    if (!positions.has(text)) positions.set(text, index);
  });
  return {
    name,
    async search(query, topK, searchOptions: SearchOptions = {}) {
      const visible = checkSearch(topK, texts.length, searchOptions);
      if (query.trim() === "" || topK === 0 || visible === 0) return [];
      const { signal } = searchOptions;
      const request = reported(name, retriever.invoke(query, signal === undefined ? undefined : { signal }));
      const found = await orCancelled(request, signal);
      const ranked = new Set(
        found.map((document) => {
          const index = document.metadata[positionKey] ?? positions.get(document.pageContent);
          if (typeof index === "number" && texts[index] !== undefined) return index;
          throw new UmaError(
            "provider",
            `${name}: returned a document that is none of the ${texts.length} sub-chunks`,
            {
              fix: `fill the retriever with the sub-chunks' texts, or put their positions into metadata.${positionKey}`,
            },
          );
        }),
      );
      return [...ranked]
        .map((index, rank) => ({ index, score: 1 / (rank + 1) }))
        .filter(({ index }) => index < visible)
        .slice(0, topK);
    },
  };
}

async function reported<T>(name: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (cause) {
    throw new UmaError("provider", `${name}: ${messageOf(cause)}`, { fix: "check the store and its embedder", cause });
  }
}
