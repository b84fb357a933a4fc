/**
 * The trainer graph's state: which run it is, and where that run stands. References only: records, credit, weights and the
 * optimiser's state are in the run folder or with the learner.
 */
import { StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { TrainingState } from "../run/state.ts";

/** What a run is begun with; Studio makes its form of it. An empty input on a thread goes on with the thread's run. */
export const TrainerInput = new StateSchema({
  recipe: z.string().default("demo").describe("A recipe's name, or a file (.yaml, .json)"),
  scale: z.string().default("").describe("demo, dev or paper; empty for the recipe's usual one"),
  seed: z.int().default(0).describe("Data, sampling and order are derived from it"),
  changes: z
    .record(z.string(), z.unknown())
    .default(() => ({}))
    .describe('Fields of the recipe that are replaced, by path, e.g. {"updates": 2, "rollout.G": 4}'),
  folder: z.string().default("").describe("Run folder; empty for a new one under runs/"),
  learner: z.string().default("").describe("Address of a learner; empty for the one in UMAGRAPH_LEARNER"),
});

export const TrainerState = new StateSchema({
  ...TrainerInput.fields,
  training: TrainingState.nullable().default(null).describe("Where the run stands; null before it is opened"),
});

export type Trainer = typeof TrainerState.State;
export type TrainerUpdate = Partial<typeof TrainerState.Update>;
