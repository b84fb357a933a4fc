/** What the sessions of an evaluation scored, by the metric that is r_outcome; folders that are gone are left out. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { openRunFolder, readScores, type ScoreLine } from "../../evals/run-folder.ts";
import type { TrainingLog } from "./read-training.ts";

export interface OutcomeScore {
  /** Of the run folder. */
  readonly path: string;
  /** Which of the evaluation's sources; contexts of two sources may have one name. */
  readonly source: number;
  readonly line: ScoreLine;
  readonly value: number;
}

/** `folders`: relative to the training's folder. Sessions without a score are left out. */
export function outcomeScores(
  { folder, config }: Pick<TrainingLog, "folder" | "config">,
  folders: readonly string[],
): OutcomeScore[] {
  return folders.flatMap((name, source) => {
    const path = join(folder, name);
    if (!existsSync(join(path, "config.json"))) return [];
    const scores = readScores(path);
    const metric = outcomeOf(config.recipe, openRunFolder(path).config.benchmark.name) ?? firstMetric(scores);
    return scores.flatMap((line): OutcomeScore[] => {
      const value = metric === null ? null : (line.metrics[metric] ?? null);
      return value === null ? [] : [{ path, source, line, value }];
    });
  });
}

/** One rollout of one question, the same in every evaluation of the run. */
export const askedKey = ({ source, line }: OutcomeScore): string => `${source} ${line.session}`;

/** A benchmark's scores begin with its headline. */
const firstMetric = ([score]: readonly ScoreLine[]) => (score ? (Object.keys(score.metrics)[0] ?? null) : null);

const Evaluation = z.object({
  evaluation: z.object({ data: z.array(z.object({ benchmark: z.string(), outcome: z.string().optional() })) }),
});

/** The published code's outcome is a reward and no metric of a benchmark. */
function outcomeOf(recipe: unknown, benchmark: string): string | null {
  const parsed = Evaluation.safeParse(recipe);
  const outcome = parsed.data?.evaluation.data.find((source) => source.benchmark === benchmark)?.outcome ?? null;
  return outcome === "uma-code" ? null : outcome;
}
