/** The learner of one run: up with it, back after it was killed, gone with it, and its checkpoints are the run's. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isRunning, runningServices } from "../../../cli/learner/service-state.ts";
import { startEmbeddedLearner } from "../../../cli/train/embedded-learner.ts";
import { servicePython, whyNoService } from "../../support/learner-service.ts";
import { tinyModel } from "../../support/tiny-model.ts";
import { temporaryFolder } from "../run-cli.ts";

it.skipIf(servicePython !== null)(`the service is not tried here: ${whyNoService}`, (context) => context.skip());

describe.skipIf(servicePython === null)("the embedded learner", () => {
  it("answers, comes back at another address after it was killed, and ends when the run does", async () => {
    const folder = temporaryFolder();
    process.env.UMAGRAPH_LEARNER_STATE = join(folder, "state");
    const said: string[] = [];
    const learner = await startEmbeddedLearner({
      ...{ folder, model: tinyModel(join(folder, "model")), loraRank: null, device: "cpu" as const, threads: 1 },
      ...{ wait: 120, say: (line: string) => said.push(line) },
    });
    const answers = async (url: string) => (await fetch(new URL("/api/v1/healthz", url))).ok;
    const only = () => {
      const [service, ...others] = runningServices();
      expect(others).toEqual([]);
      return service!;
    };
    try {
      expect(await answers(learner.place.baseURL)).toBe(true);
      expect(learner.place.checkpoints).toBe(join(folder, "checkpoints"));
      expect(existsSync(join(folder, "checkpoints", "learner.log"))).toBe(true);
      const killed = only().pid;
      process.kill(killed, "SIGKILL");
      const url = await learner.place.revive!(new AbortController().signal);
      expect(await answers(url)).toBe(true);
      expect(isRunning(killed)).toBe(false);
    } finally {
      const { pid } = only();
      await learner.close();
      expect(isRunning(pid)).toBe(false);
      expect(runningServices()).toEqual([]);
    }
  }, 180_000);
});
