/** Ships a plan: its passes in order, each datum made while it is sent. The gradient is then with the learner, and no step is taken. */
import type { Stoppable, TrainedModel } from "../../learner/client/trained-model.ts";
import type { Plan } from "../objective/compile.ts";

export interface ShippedPlan {
  /** log π_θ of all targets before the step: an array per part of `plan.terms`, in their order. */
  readonly logprobs: readonly Float32Array[];
  /** What the engine said of the gradient pass. */
  readonly metrics: Readonly<Record<string, number>>;
}

/** Null when the plan has nothing to ship. */
export async function shipPlan(
  model: Pick<TrainedModel, "forward" | "forwardBackward">,
  plan: Plan,
  options: Stoppable = {},
): Promise<ShippedPlan | null> {
  let logprobs: readonly Float32Array[] | null = null;
  let metrics: Readonly<Record<string, number>> = {};
  for (const pass of plan.passes) {
    if (pass.op === "forward") {
      logprobs = (await model.forward(pass.datums(), pass.lossFn, pass.config, options)).logprobs;
      continue;
    }
    const current = logprobs ?? [];
    const output = await model.forwardBackward(pass.datums(current), pass.lossFn, pass.config, options);
    ({ metrics } = output);
    // with analytic weights some datums are left out, and the forward pass has given all of them
    logprobs ??= output.logprobs;
  }
  return logprobs && { logprobs, metrics };
}
