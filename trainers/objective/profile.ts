/** What the compiler has to know of an engine; the whole profile is the learner client's. */
import type { EngineProfile } from "../../learner/engines/engine-profile.ts";

export type Profile = Pick<
  EngineProfile,
  "name" | "reduction" | "losses" | "signedWeights" | "klExtension" | "clip" | "maskKey" | "accumulates"
>;
