/** Credit of run folders: rewards and advantages recomputed from the log, and the files that keep them. */
export * from "./credit-options.ts";
export * from "./credit-summary.ts";
export * from "./folder-credit.ts";
export * from "./read-update.ts";
export * from "./run-credit.ts";
