import { MemoryVectorStore } from "@langchain/classic/vectorstores/memory";
import { HNSWLib } from "@langchain/community/vectorstores/hnswlib";
import { Document } from "@langchain/core/documents";
import { VectorStore } from "@langchain/core/vectorstores";
import { describe, expect, it, vi } from "vitest";
import { createSource } from "../../retrieval/source.ts";
import { StaticEmbeddings } from "../../retrieval/static-embedder.ts";
import { fromLangChainRetriever, fromVectorStore } from "../../retrieval/vector-store-adapter.ts";
import { contractDocuments, retrieverContract } from "../contracts/retriever.ts";

const embeddings = new StaticEmbeddings();
const memoryStore = () => new MemoryVectorStore(embeddings);
const hnswLib = () => new HNSWLib(embeddings, { space: "cosine" });

/** The smallest store that @langchain/core allows: dot products over a list. */
class ListStore extends VectorStore {
  readonly held: { readonly vector: number[]; readonly document: Document }[] = [];
  _vectorstoreType(): string {
    return "list";
  }
  async addVectors(vectors: number[][], documents: Document[]): Promise<void> {
    documents.forEach((document, i) => {
      this.held.push({ vector: vectors[i]!, document });
    });
  }
  async addDocuments(documents: Document[]): Promise<void> {
    await this.addVectors(await this.embeddings.embedDocuments(documents.map((held) => held.pageContent)), documents);
  }
  async similaritySearchVectorWithScore(query: number[], k: number): Promise<[Document, number][]> {
    return this.held
      .map(({ vector, document }): [Document, number] => [
        document,
        vector.reduce((sum, v, i) => sum + v * query[i]!, 0),
      ])
      .sort((a, b) => b[1] - a[1])
      .slice(0, k);
  }
}

retrieverContract("@langchain/core VectorStore", (documents) =>
  fromVectorStore(new ListStore(embeddings, {}), documents),
);
retrieverContract("LangChain in-memory vector store", (documents) => fromVectorStore(memoryStore(), documents));
retrieverContract("@langchain/community HNSWLib", (documents) =>
  fromVectorStore(hnswLib(), documents, { scores: "distance" }),
);
retrieverContract(
  "LangChain retriever",
  async (documents) => {
    const store = memoryStore();
    await store.addDocuments(
      documents.map((pageContent, umagraphIndex) => new Document({ pageContent, metadata: { umagraphIndex } })),
    );
    return fromLangChainRetriever(store.asRetriever({ k: 12 }), documents);
  },
  { skips: { "equal scores": "a LangChain retriever gives ranks, not scores" } },
);

describe("a vector store as a retriever", () => {
  it("a store that gives distances and is not said to is an error that says what to pass", async () => {
    const retriever = await fromVectorStore(hnswLib(), contractDocuments.slice(0, 9));
    await expect(retriever.search("Anna adopted a dog", 5)).rejects.toMatchObject({
      code: "provider",
      fix: 'pass { scores: "distance" }',
    });
  });

  it("a document of somebody else in the store is an error, not a wrong hit", async () => {
    const store = memoryStore();
    const retriever = await fromVectorStore(store, ["a dog"]);
    await store.addDocuments([new Document({ pageContent: "a budget" })]);
    await expect(retriever.search("budget", 1)).rejects.toThrow(/was not added here/);
  });

  it("a store that fails is a provider error", async () => {
    const store = memoryStore();
    vi.spyOn(store, "addDocuments").mockRejectedValue(new Error("connection refused"));
    await expect(fromVectorStore(store, ["a"], { name: "chroma" })).rejects.toMatchObject({
      code: "provider",
      message: "chroma: connection refused",
    });
  });

  it("stands in for the dense list of a source", async () => {
    const source = createSource(contractDocuments, {
      retrievers: {
        embedding: (subChunks) =>
          fromVectorStore(
            hnswLib(),
            subChunks.map((piece) => piece.text),
            { scores: "distance" },
          ),
      },
    });
    const own = createSource(contractDocuments);
    const query = "Where did Anna adopt her dog?";
    const theirs = (await source.embedding(query, 3)).map((hit) => hit.index);
    expect(theirs).toEqual((await own.embedding(query, 3)).map((hit) => hit.index));
    expect((await source.hybrid(query, 3, { upTo: 2 })).every((hit) => hit.index <= 2)).toBe(true);
    expect(Object.keys((await source.rrf(query, 1))[0]!.parts!)).toContain("embedding");
  });
});

describe("a LangChain retriever", () => {
  const answering = (...texts: string[]) => ({
    invoke: async () => texts.map((pageContent) => new Document({ pageContent })),
  });

  it("its documents are recognised by their text, once each, by rank", async () => {
    const retriever = fromLangChainRetriever(answering("c", "a", "c"), ["a", "b", "c"]);
    expect(await retriever.search("x", 5)).toEqual([
      { index: 2, score: 1 },
      { index: 0, score: 0.5 },
    ]);
  });

  it("a document that is none of ours is an error", async () => {
    const retriever = fromLangChainRetriever(answering("something else"), ["a"]);
    await expect(retriever.search("x", 5)).rejects.toThrow(/none of the 1 sub-chunks/);
  });
});
