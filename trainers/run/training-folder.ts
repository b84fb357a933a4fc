/**
 * A training run is its folder: everything that reports and resuming need, nothing outside but the learner's own checkpoints.
 *
 *     training.json      recipe, scale, seed, learner, versions; written before any work
 *     state.sqlite       the graph's checkpoints: small state, references to what is below
 *     state.json         the same of a run without a graph: one state, the last
 *     metrics.jsonl      one line per update (metrics-line.ts)
 *     timing.jsonl       seconds of the same updates
 *     evaluations.jsonl  one line per evaluation
 *     updates/0001/…     the run folder of each update's rollout, one per data source: records, scores, rewards, advantages
 *     evaluations/0000/… run folders of held-out evaluations, after so many updates
 *     checkpoints/       states and published weights, when the learner is ours (--learner embedded)
 *     best/              the best checkpoint by held-out score, as a Hugging Face folder
 *     report.html        written by the run at its end, and by `umagraph report`
 *     lock               there while a process works on the run
 */
import { join } from "node:path";

const fourDigits = (update: number) => String(update).padStart(4, "0");

export const trainingFiles = {
  config: (folder: string) => join(folder, "training.json"),
  state: (folder: string) => join(folder, "state.sqlite"),
  plainState: (folder: string) => join(folder, "state.json"),
  metrics: (folder: string) => join(folder, "metrics.jsonl"),
  timing: (folder: string) => join(folder, "timing.jsonl"),
  evaluations: (folder: string) => join(folder, "evaluations.jsonl"),
  /** `update` is 1-based. */
  update: (folder: string, update: number, source: string) => join(folder, "updates", fourDigits(update), source),
  evaluation: (folder: string, update: number, kind: "sampled" | "greedy", source: string) =>
    join(folder, "evaluations", fourDigits(update), `${kind}-${source}`),
  checkpoints: (folder: string) => join(folder, "checkpoints"),
  best: (folder: string) => join(folder, "best"),
  report: (folder: string) => join(folder, "report.html"),
} as const;
