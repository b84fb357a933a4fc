/** `umagraph/tools`: the paper's tools, toolsets and the executor. */
export * from "./call.ts";
export * from "./execute-calls.ts";
export * from "./langchain-tools.ts";
export * from "./observation.ts";
export * from "./tool.ts";
export * from "./toolsets.ts";
