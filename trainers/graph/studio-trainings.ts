/**
 * Runs that a person steps through: opened by a thread's input, alive in this process until they end.
 *
 * UMAGRAPH_LEARNER is the learner's address when the input names none; UMAGRAPH_LEARNER_CHECKPOINTS its folder of
 * checkpoints when that is on this machine, which a policy in this process samples from.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { UmaError } from "../../base/errors.ts";
import { packageVersion } from "../../base/package-version.ts";
import { refuseSilence } from "../../learner/client/refuse-silence.ts";
import { loadRlRecipe } from "../recipes/load-recipe.ts";
import { type Scale, scales } from "../recipes/recipe.ts";
import { openTraining, type Training } from "../run/open-training.ts";
import { trainingFiles } from "../run/training-folder.ts";
import type { Trainer } from "./state.ts";
import type { TrainingHost } from "./training-host.ts";

export function studioTrainings(env: NodeJS.ProcessEnv): TrainingHost {
  const runs = new Map<string, Training>();
  const close = async (folder: string) => {
    const run = runs.get(folder);
    runs.delete(folder);
    await run?.close();
  };
  return {
    async open(state) {
      const folder = state.folder || newFolder(state.recipe);
      // begun anew on the thread of a run that was left in the middle
      await close(folder);
      const run = await begin({ ...state, folder }, env);
      runs.set(folder, run);
      return { folder, training: state.training ? await run.resumed(state.training) : run.first };
    },
    deps({ folder }) {
      const run = runs.get(folder);
      if (run) return run.deps;
      throw new UmaError("conflict", `the run in ${folder} is not open in this process, which has been started since`, {
        fix: "run the thread once more with an empty input: it opens the run and goes on where it stood",
      });
    },
    close: ({ folder }) => close(folder),
  };
}

async function begin(state: Trainer, env: NodeJS.ProcessEnv): Promise<Training> {
  const { folder, seed } = state;
  const scale = scaleNamed(state.scale);
  const resume = state.training !== null;
  if (!resume && existsSync(trainingFiles.config(folder)))
    throw new UmaError("config", `${folder} holds a run of another thread or of the command line`, {
      fix: `leave the folder empty for a new run, or go on with it by umagraph train --resume ${folder}`,
    });
  const baseURL = state.learner || env.UMAGRAPH_LEARNER;
  if (!baseURL)
    throw new UmaError("config", "no learner is named", {
      fix: "start one with umagraph learner start, and give its address in the input or in UMAGRAPH_LEARNER",
    });
  const recipe = await loadRlRecipe(state.recipe, { ...(scale && { scale }), overrides: state.changes });
  await refuseSilence(baseURL);
  return openTraining({
    ...{ folder, recipe, seed, resume, scale, umagraph: packageVersion() },
    learner: { baseURL, checkpoints: env.UMAGRAPH_LEARNER_CHECKPOINTS || null },
  });
}

function scaleNamed(text: string): Scale | null {
  if (text === "") return null;
  const scale = scales.find((name) => name === text);
  if (scale) return scale;
  throw new UmaError("config", `scale: expected ${scales.join(", ")} or nothing, got ${JSON.stringify(text)}`);
}

function newFolder(recipe: string): string {
  const name = recipe.replace(/^.*[\\/]/, "").replace(/\.\w+$/, "");
  for (let n = 1; ; n++) {
    const folder = join("runs", `studio-${name}-${n}`);
    if (!existsSync(folder)) return folder;
  }
}
