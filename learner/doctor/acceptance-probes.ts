/** What the engine takes at all: losses by name, tensors beside them. Forward passes only, so the gradient is left alone. */
import { messageOf } from "../../base/errors.ts";
import type { ArithmeticProbe } from "./arithmetic-probes.ts";
import type { Workbench } from "./workbench.ts";

export const losses: ArithmeticProbe = async (bench, profile) => {
  const inputs = { logprobs: bench.start, advantages: bench.all(0) };
  const accepts = async (loss: string, extra: Record<string, Float32Array> = {}, config = {}) =>
    (await trial(
      bench,
      loss,
      loss === "cross_entropy" ? { weights: bench.all(1) } : { ...inputs, ...extra },
      config,
    )) === null;
  const taken: string[] = [];
  for (const loss of ["cross_entropy", "importance_sampling", "ppo", "cispo", "dro", "gspo", "dppo"])
    if (await accepts(loss)) taken.push(loss);
  const kl = await accepts(
    "ppo",
    { ref_logprobs: inputs.logprobs, kl_weights: bench.all(0) },
    { kl_beta: 0.1, kl_kind: 3 },
  );
  const ok = taken.includes("cross_entropy") && taken.includes("ppo");
  return {
    line: {
      probe: "losses",
      checked: "a forward pass with each loss, and ppo with a reference and a KL term",
      saw: `it takes ${taken.join(", ") || "none"}; the KL term ${kl ? "too" : "not"}`,
      meaning: ok
        ? `clipped objectives go in one pass, ${kl ? "with their KL term" : "a KL term needs a forward pass before"}`
        : "cross_entropy and ppo are what training is made of: this engine cannot be used",
      ok,
    },
    profile: {
      losses: taken,
      klExtension: kl ? (profile.klExtension ?? { kinds: ["k1", "k2", "k3", "rho-k3"] }) : null,
    },
  };
};

export const tensors: ArithmeticProbe = async (bench) => {
  const zero = await trial(bench, "cross_entropy", { weights: bench.all(0) });
  const mask = await trial(bench, "ppo", { logprobs: bench.start, advantages: bench.all(1), mask: bench.all(1) });
  const weights = await trial(bench, "ppo", { logprobs: bench.start, advantages: bench.all(1), weights: bench.all(1) });
  const named = [...(mask === null ? ["mask"] : []), ...(weights === null ? ["weights"] : [])];
  return {
    line: {
      probe: "tensors",
      checked: "a datum whose weights are all 0, and ppo with a mask or weights beside it",
      saw: `all zeros ${zero === null ? "are taken" : `are refused (${zero})`}; ppo takes ${named.length > 0 ? named.join(" and ") : "neither mask nor weights"}`,
      meaning:
        zero === null
          ? "sessions without a gradient may be shipped with the others"
          : "a session without a gradient must be left out, or the whole call is refused",
      ok: zero === null,
    },
  };
};

/** Null when it is taken, else the reason. */
async function trial(
  bench: Workbench,
  loss: string,
  inputs: Record<string, Float32Array>,
  config: Record<string, number> = {},
): Promise<string | null> {
  return bench
    .model()
    .forward([bench.datum(inputs)], loss, config)
    .then(() => null, messageOf);
}
