/**
 * Which definition of the lexical metrics holds.
 *
 * `default` is Appendix K made safe: a number keeps its value, and nothing scores for being empty. `uma-code` is what the
 * published evaluator computes (its Tables 12–14), for comparing with those numbers only. Each metric's header lists
 * where the two differ.
 */
export type MetricProfile = "default" | "uma-code";

export interface ProfileOptions {
  readonly profile?: MetricProfile;
}
