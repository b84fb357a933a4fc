/** Rewards: from records and scores to numbers (UMA §2.3.2). */
export * from "./no-signal.ts";
export * from "./outcome.ts";
export * from "./reward-options.ts";
export * from "./reward-tables.ts";
export * from "./session-grid.ts";
export * from "./session-rewards.ts";
export * from "./table.ts";
export * from "./tool-validity.ts";
