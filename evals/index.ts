/** `umagraph/evals`: benchmarks, metrics, runs and reports. */
export * from "./benchmark.ts";
export * from "./benchmarks/index.ts";
export * from "./evaluate.ts";
export * from "./metrics/bleu-1.ts";
export * from "./metrics/decimal-exact.ts";
export * from "./metrics/evidence-recall.ts";
export * from "./metrics/exact-match.ts";
export * from "./metrics/extract-answer.ts";
export * from "./metrics/rouge-l.ts";
export * from "./metrics/sub-em.ts";
export * from "./metrics/token-f1.ts";
export * from "./reports/summary.ts";
export * from "./reports/write-report.ts";
export * from "./run-folder.ts";
export * from "./score.ts";
export * from "./statistics/cluster-bootstrap.ts";
export * from "./statistics/paired-difference.ts";
