/** The flags of `umagraph train`, and which of them may be given again when a run is resumed. */
import { z } from "zod";
import { scales } from "../../trainers/recipes/recipe.ts";

export const trainFlags = z.object({
  scale: z.enum(scales).optional().describe("Size of the run (default: the recipe's usual one)"),
  seed: z.coerce.number().int().optional().describe("Seed of data, sampling and order (default 0)"),
  learner: z
    .string()
    .default("embedded")
    .describe("embedded: our own service for as long as the run lasts; or the address of a Tinker-compatible one"),
  apiKey: z.string().optional().describe("Key of the learner (twin: TINKER_API_KEY)"),
  profile: z.string().optional().describe("What the learner's engine can do, e.g. embedded, tinker, skyrl-fsdp"),
  device: z.enum(["auto", "cpu", "cuda"]).default("auto").describe("Where the embedded learner computes"),
  threads: z.coerce.number().int().min(1).default(1).describe("CPU threads of the embedded learner"),
  wait: z.coerce
    .number()
    .positive()
    .default(300)
    .describe("Seconds to wait for the embedded learner to load the model"),
  out: z.string().optional().describe("Run folder (default runs/<date>-<recipe>)"),
  resume: z.string().optional().describe("Go on with this run folder, wherever it was stopped"),
  updates: z.coerce
    .number()
    .int()
    .min(1)
    .optional()
    .describe(
      "Updates until the run is complete, in place of the recipe's (a rate that falls then falls over a share of these)",
    ),
  minutes: z.coerce
    .number()
    .positive()
    .optional()
    .describe("Stop after the update under way when so many minutes are over; --resume goes on"),
  set: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .describe("A field of the recipe, by path: --set adam.learningRate=1e-4 --set data.0.contexts=4"),
  start: z
    .string()
    .optional()
    .describe("Of a supervised recipe: the folder of a policy to begin with, in place of the recipe's"),
  to: z.string().optional().describe("Of a supervised recipe: a folder that the finished policy is also put into"),
  pool: z.coerce
    .number()
    .int()
    .min(0)
    .optional()
    .describe(
      "Threads to sample on (default: all cores for a policy in this process, else 0). Results do not depend on it",
    ),
  concurrency: z.coerce.number().int().min(1).optional().describe("Sessions in flight; results do not depend on it"),
  list: z.boolean().default(false).describe("Print the recipes"),
  show: z.boolean().default(false).describe("Print the recipe as it would be run, with every field"),
});
export type TrainFlags = z.infer<typeof trainFlags>;

/** Where and how long a run goes on may change; the rest is the run. */
export const resumeFlags: ReadonlySet<string> = new Set([
  ...["resume", "learner", "apiKey", "profile", "device", "threads", "wait", "updates", "minutes", "set"],
  ...["pool", "concurrency", "to", "show", "json", "quiet", "help"],
]);
