/** Settings of one optimiser step. All of them are always sent: engines differ in what they assume. */
import { UmaError } from "../../base/errors.ts";
import type { AdamField } from "../engines/engine-profile.ts";

export interface Adam {
  readonly learningRate: number;
  /** Default 0.9. */
  readonly beta1?: number;
  /** Default 0.95. */
  readonly beta2?: number;
  /** Default 1e-12. */
  readonly eps?: number;
  /** Default 0. */
  readonly weightDecay?: number;
  /** Most norm the whole gradient may have; 0, the default, is no bound. */
  readonly gradClipNorm?: number;
}

/** As the wire names them. Throws `config` for a number outside its range. */
export function adamParams(adam: Adam): Record<AdamField, number> {
  const params = {
    learning_rate: adam.learningRate,
    beta1: adam.beta1 ?? 0.9,
    beta2: adam.beta2 ?? 0.95,
    eps: adam.eps ?? 1e-12,
    weight_decay: adam.weightDecay ?? 0,
    grad_clip_norm: adam.gradClipNorm ?? 0,
  };
  for (const [name, value] of Object.entries(params))
    if (!Number.isFinite(value) || value < 0 || (name.startsWith("beta") && value >= 1))
      throw new UmaError(
        "config",
        `${name}: expected a number from 0${name.startsWith("beta") ? " to below 1" : ""}, got ${value}`,
      );
  return params;
}

/** Those that were set and that the engine does not use. */
export function ignoredSettings(adam: Adam, used: readonly AdamField[]): AdamField[] {
  const given: [AdamField, number | undefined][] = [
    ["beta1", adam.beta1],
    ["beta2", adam.beta2],
    ["eps", adam.eps],
    ["weight_decay", adam.weightDecay],
    ["grad_clip_norm", adam.gradClipNorm],
  ];
  return given.flatMap(([name, value]) => (value !== undefined && !used.includes(name) ? [name] : []));
}
