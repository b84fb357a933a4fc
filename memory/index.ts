/** `umagraph/memory`: the bank as a value, codecs, chunking, stores, reading files. */
export * from "./bank.ts";
export * from "./chunking.ts";
export * from "./codec.ts";
export type { Document, Message, ReadOptions, Refusal } from "./ingest/document.ts";
export { readInput } from "./ingest/read-input.ts";
export * from "./kept-memory.ts";
export * from "./memory.ts";
export * from "./store/memory-store.ts";
export { openSqliteStore } from "./store/sqlite-store.ts";
