/** Where the learner of a training run is, and what is ours of it. */

import type { LearnerClientOptions } from "../../learner/client/learner-client.ts";
import type { Limits } from "../../learner/client/limits.ts";

export interface LearnerPlace {
  readonly baseURL: string;
  readonly apiKey?: string;
  readonly profile?: LearnerClientOptions["profile"];
  /** What it calls the model, when that is neither the recipe's model nor its folder's name. */
  readonly baseModel?: string;
  /** Its checkpoint folder, when that is on this machine: weights can be sampled in this process, and the best are kept in `best/`. */
  readonly checkpoints: string | null;
  /** Asked when the learner is gone: brings it back and gives its address. Without it, it is waited for where it was. */
  readonly revive?: (signal: AbortSignal) => Promise<string>;
  /** How long a learner that is gone is waited for; ten minutes by default. */
  readonly patienceMs?: number;
  readonly limits?: Partial<Limits>;
}
