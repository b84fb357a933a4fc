/** What a ledger policy is scored on, and in which sessions. */

/** As the model card scores it. */
export const ledgerScoring = (horizons: readonly number[], contexts: number) => ({
  data: horizons.map((horizon) => ({
    benchmark: "ledger-qa",
    config: { profile: "micro" as const, split: "test" as const, horizon, seed: 991 },
    contexts,
  })),
  sessions: {
    toolset: "ledger",
    prompts: "micro",
    limits: { interactionTokens: 1_000, maxTurns: 8 },
  },
});
