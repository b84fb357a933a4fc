/** What a sampled update becomes on its way to the learner; read once, made again from its folders by a process that begins there. */
import { join } from "node:path";
import { UmaError } from "../../base/errors.ts";
import type { EstimatorName } from "../advantages/index.ts";
import { batchSessions } from "../batch/batch-sessions.ts";
import { type CreditOptions, creditOptions } from "../credit/credit-options.ts";
import { readUpdate, type SampledUpdate } from "../credit/read-update.ts";
import { type RunCredit, runCredit } from "../credit/run-credit.ts";
import type { TrainingSession } from "../objective/training-session.ts";
import type { TrainingDeps } from "./deps.ts";
import { type UnderWay, weightsName } from "./state.ts";

type Place = Pick<UnderWay, "update" | "folders">;

/** One per data source, in the recipe's order. */
export function sampledUpdates({ update, folders }: Place, deps: TrainingDeps): Promise<readonly SampledUpdate[]> {
  return deps.workspace.get(update, "sampled", () =>
    Promise.all(folders.map((folder) => readUpdate(join(deps.folder, folder)))),
  );
}

export interface SourceCredit {
  readonly folder: string;
  readonly sampled: SampledUpdate;
  readonly options: CreditOptions;
}

/** How each source's sessions are rewarded and compared: within their own source. */
export async function creditOf(place: Place, deps: TrainingDeps): Promise<readonly SourceCredit[]> {
  const { credit, data } = deps.recipe;
  const sampled = await sampledUpdates(place, deps);
  const planned = await deps.data.training(place.update);
  return sampled.map((one, at) => {
    const { outcome } = planned[at]?.source ?? data[0]!;
    const options = creditOptions(one, {
      profile: credit.profile,
      estimator: credit.estimator as EstimatorName,
      rewards: { ...credit.rewards, ...(outcome !== undefined && { outcome }) },
      advantages: credit.advantages,
    });
    return {
      folder: join(deps.folder, place.folders[at]!),
      sampled: one,
      options: { ...options, plan: { schedule: credit.schedule, update: place.update - 1 } },
    };
  });
}

export function runCredits(place: Place, deps: TrainingDeps): Promise<readonly RunCredit[]> {
  return deps.workspace.get(place.update, "credit", async () =>
    (await creditOf(place, deps)).map(({ sampled, options }) => runCredit(sampled, options)),
  );
}

/** Throws `conflict` for sessions of other weights than the update's, `input` when a policy gave no tokens. */
export function sessionsToTrain(underWay: UnderWay, deps: TrainingDeps): Promise<readonly TrainingSession[]> {
  return deps.workspace.get(underWay.update, "sessions", async () => {
    const [sampled, credits] = await Promise.all([sampledUpdates(underWay, deps), runCredits(underWay, deps)]);
    const sessions = sampled.flatMap(({ run: { records } }, at) => {
      for (const { id, trace } of records) {
        const foreign = trace?.turns.find(({ weights }) => weights !== underWay.weights.version);
        if (!foreign) continue;
        throw new UmaError(
          "conflict",
          `${id} was sampled by ${foreign.weights ?? "weights of no version"}, and update ${underWay.update} by ${weightsName(underWay.weights)} (${underWay.weights.version})`,
          {
            fix: `something else has written into ${join(deps.folder, underWay.folders[at]!)}; start a new run with --out`,
          },
        );
      }
      const { exact, withoutTokens } = batchSessions(records, credits[at]!.log);
      const answered = records.filter(({ end }) => end !== "error").length;
      if (exact.length === 0 && answered > 0)
        throw new UmaError(
          "input",
          `${withoutTokens.length} sessions have no tokens: their policy is not token-exact`,
          {
            fix: "sample with sampler: in-process or learner",
          },
        );
      return exact;
    });
    return sessions;
  });
}
