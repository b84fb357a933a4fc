/** A training run as the checkpointed graph, from where its folder stands to its end or to where it is stopped. */
import { openTraining, type TrainingOptions } from "../run/open-training.ts";
import type { TrainingState } from "../run/state.ts";
import { isStop } from "../run/stopped.ts";
import { asStore, openCheckpoints, stateToGoOnFrom, THREAD } from "./checkpoints.ts";
import { placeOf } from "./place-of.ts";
import type { Trainer } from "./state.ts";
import { createTrainerGraph } from "./trainer.ts";
import { hostOf } from "./training-host.ts";

export interface TrainerOptions extends TrainingOptions {
  /** Asked between two updates: true ends the run in order, to be gone on with. */
  readonly enough?: () => boolean;
}

/** Gives the state in which the run ended or was stopped. Throws what a step throws, and `store` for a state that is lost or cannot be kept. */
export async function runTrainer({ enough, ...options }: TrainerOptions): Promise<TrainingState> {
  if (options.resume) await stateToGoOnFrom(options.folder);
  const training = await openTraining(options);
  try {
    const checkpointer = openCheckpoints(training.deps.folder);
    try {
      const graph = createTrainerGraph(
        hostOf(training, { enough: ({ next }) => next === "collect" && (enough?.() ?? false) }),
        { checkpointer },
      );
      const config = { configurable: { thread_id: THREAD }, durability: "sync" } as const;
      const { recipe, seed, scale } = options;
      try {
        return placeOf(await graph.invoke({ recipe: recipe.name, scale: scale ?? "", seed }, config));
      } catch (thrown) {
        if (!isStop(thrown, training.deps.stopping)) throw asStore(thrown);
        // in the middle of a step: the state before it stands
        const { values } = await graph.getState(config);
        return (values as Partial<Trainer>).training ?? training.first;
      }
    } finally {
      checkpointer.db.close();
    }
  } finally {
    await training.close();
  }
}
