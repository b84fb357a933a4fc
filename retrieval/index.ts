/** `umagraph/retrieval`: BM25, dense search, fusion, embedders and the sources that hold them together. */
export * from "./bm25.ts";
export * from "./char-n-grams.ts";
export * from "./dense.ts";
export * from "./embedding-cache.ts";
export * from "./exact-dense.ts";
export * from "./fusion.ts";
export * from "./hnsw.ts";
export * from "./hnsw-file.ts";
export * from "./retriever.ts";
export * from "./source.ts";
export * from "./static-embedder.ts";
export * from "./sub-chunks.ts";
export * from "./tokenize.ts";
export * from "./vector-store-adapter.ts";
