/** memory_embedding_retrieve(query[, top_k]): raw-context sub-chunks by meaning (App. A.2). It searches the context, not the bank. */
import { rankedRetrieval } from "./ranked-retrieval.ts";

export const memoryEmbeddingRetrieve = rankedRetrieval({
  name: "memory_embedding_retrieve",
  description: "Search the raw context by meaning (embeddings). Best when the wording may differ. Returns ranked JSON.",
  search: (source, query, topK, options) => source.embedding(query, topK, options),
});
