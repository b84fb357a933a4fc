/** The compile modes through the real service, on all parameters of a tiny model: float32 there, so the tolerance is its rounding. */
import { beforeAll, describe, it } from "vitest";
import { createLearnerClient, type LearnerClient } from "../../../learner/client/learner-client.ts";
import type { TrainedModel } from "../../../learner/client/trained-model.ts";
import { servicePython, startLearnerService, whyNoService } from "../../support/learner-service.ts";
import { modesAgree } from "./modes.ts";

it.skipIf(servicePython !== null)(`is not tried here: ${whyNoService}`, (context) => context.skip());

describe.skipIf(servicePython === null)(
  "an update on the learner service",
  () => {
    let client: LearnerClient;
    let model: TrainedModel;
    let start: string;
    beforeAll(async () => {
      const service = await startLearnerService();
      client = await createLearnerClient({ baseURL: service.url });
      model = await client.createModel({ baseModel: "tiny", full: true });
      start = await model.saveState("start");
      return async () => {
        await client.close();
        await service.stop();
      };
    }, 120_000);

    modesAgree({
      client: () => client,
      model: () => model,
      baseModel: () => "tiny",
      start: () => start,
      vocabulary: 300,
      tolerance: 2e-4,
    });
  },
  60_000,
);
