/**
 * What the RL demo's gain is held against: the same start trained on as many tokens by supervision, and a model that was never
 * trained. Each is scored on the demo's held-out contexts.
 */
import { coldStart } from "./cold-start.ts";
import { laptop } from "./demo.ts";
import type { SftFile } from "./recipe-file.ts";

const { toolset, prompts, limits } = laptop.rollout;
const scoring = { data: laptop.evaluation.data, sessions: { toolset, prompts, limits }, sampled: true };

const { fields } = coldStart;
const [habits] = fields.sets!;

/** As many tokens as pass through the gradient in the demo's 40 updates: 1.5 million. */
const sameBudget = {
  ...fields,
  start: "assets/cold-start",
  steps: 1_900,
  learningRate: { peak: 1e-3, warmUp: 50, anneal: 900 },
  scoring,
};

export const controlSameTeacher: SftFile = {
  kind: "sft",
  usual: "demo",
  fields: {
    ...sameBudget,
    summary: "A control of the RL demo: its start, trained further by the teacher that it had, on as many tokens",
    // sessions that the start has not seen
    sets: [{ ...habits!, seed: 5, count: 10_000 }],
  },
  scales: { demo: {} },
};

const { teacher: _habits, ...ofTheExpert } = habits!;

export const controlExpert: SftFile = {
  kind: "sft",
  usual: "demo",
  fields: {
    ...sameBudget,
    summary: "A control of the RL demo: its start, trained further by the expert, on as many tokens",
    sets: [{ ...ofTheExpert, file: "expert-train.jsonl", horizons: [3], changes: 0.5, seed: 6, count: 10_000 }],
  },
  scales: { demo: {} },
};

export const controlUntrained: SftFile = {
  kind: "sft",
  usual: "demo",
  fields: {
    ...fields,
    summary: "A control of the RL demo: random weights of the same width and depth, one step from them",
    start: null,
    vocabulary: { sessions: 4_000, least: [2] },
    // a training has at least one step, and weights that have not moved are not published
    steps: 1,
    learningRate: { peak: 1e-4, warmUp: 0, anneal: 0 },
    scoring,
  },
  scales: { demo: {} },
};
