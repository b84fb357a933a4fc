/** A policy that replies through another function, and is otherwise the same one: its weights may change while it is in use. */
import type { Policy } from "./policy.ts";

export function withSample(policy: Policy, sample: Policy["sample"]): Policy {
  return {
    name: policy.name,
    scripted: policy.scripted,
    get weights() {
      return policy.weights;
    },
    countTokens: (text) => policy.countTokens(text),
    sample,
  };
}
