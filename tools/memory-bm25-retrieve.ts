/** memory_bm25_retrieve(query[, top_k]): raw-context sub-chunks by keyword (App. A.2). It searches the context, not the bank. */
import { rankedRetrieval } from "./ranked-retrieval.ts";

export const memoryBm25Retrieve = rankedRetrieval({
  name: "memory_bm25_retrieve",
  description:
    "Search the raw context by keywords (BM25). Best for names, numbers, dates and exact phrases. Returns ranked JSON.",
  search: (source, query, topK, options) => source.bm25(query, topK, options),
});
