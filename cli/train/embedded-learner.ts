/** The learner of one run: our own service as a child, its checkpoints in the run folder, gone when the run is. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeFolder } from "../../base/make-folder.ts";
import type { LearnerPlace } from "../../trainers/run/learner-place.ts";
import { trainingFiles } from "../../trainers/run/training-folder.ts";
import { forgetService, isRunning, type ServiceState } from "../learner/service-state.ts";
import { startService } from "../learner/start-service.ts";

export interface EmbeddedLearner {
  readonly place: LearnerPlace;
  /** Lets accepted work finish, unless nobody waits for it any more. */
  close(options?: { readonly atOnce?: boolean }): Promise<void>;
}

export interface EmbeddedLearnerOptions {
  /** The run's. */
  readonly folder: string;
  /** A model folder, or a hub id. */
  readonly model: string;
  /** Null trains all parameters. */
  readonly loraRank: number | null;
  readonly device: "auto" | "cpu" | "cuda";
  readonly threads: number;
  /** Seconds to load the model and answer. */
  readonly wait: number;
  readonly say: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** What is asked to end and does not is killed after so long. */
const PATIENCE_MS = { inOrder: 90_000, atOnce: 10_000 };

/** Throws `config` when it does not start; what it said is in the message. */
export async function startEmbeddedLearner(options: EmbeddedLearnerOptions): Promise<EmbeddedLearner> {
  const { folder, loraRank, signal, ...own } = options;
  const checkpoints = trainingFiles.checkpoints(folder);
  makeFolder(checkpoints, "choose a folder that can be written to with --out");
  const start = (stop: AbortSignal | undefined) =>
    startService({
      ...own,
      ...{ checkpoints, host: "127.0.0.1", port: 0, child: true, log: join(checkpoints, "learner.log") },
      ...(loraRank === null ? { full: true } : { full: false, loraRank }),
      ...(stop && { signal: stop }),
    });
  let service = await start(signal);
  return {
    place: {
      baseURL: service.url,
      checkpoints,
      async revive(stop) {
        await end(service, { atOnce: true });
        service = await start(stop);
        return service.url;
      },
    },
    close: ({ atOnce = false } = {}) => end(service, { atOnce }),
  };
}

async function end(service: ServiceState, { atOnce }: { readonly atOnce: boolean }): Promise<void> {
  const { pid } = service;
  const patience = atOnce ? PATIENCE_MS.atOnce : PATIENCE_MS.inOrder;
  // the service takes a second one as "at once"
  for (let asked = 0; asked < (atOnce ? 2 : 1); asked++) {
    kill(pid, "SIGTERM");
    await sleep(50);
  }
  const since = performance.now();
  while (isRunning(pid) && performance.now() - since < patience) await sleep(50);
  if (isRunning(pid)) kill(pid, "SIGKILL");
  forgetService(service);
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has ended by itself
  }
}
