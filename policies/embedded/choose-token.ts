/** Draws a token from logits, with its exact log-probability: softmax in float64. */
import { UmaError } from "../../base/errors.ts";

export interface Choice {
  readonly id: number;
  /** At the temperature that it was drawn at; of temperature 1 where nothing is drawn (temperature 0). */
  readonly logprob: number;
}

/** `draw` in [0, 1) says which; at temperature 0 it is the most probable, the first of equals. */
export type TokenChooser = (logits: Float32Array, temperature: number, draw: number) => Choice;

/** Throws `provider` for logits that are no numbers. */
export function tokenChooser(vocabulary: number): TokenChooser {
  const weights = new Float64Array(vocabulary);
  return (logits, temperature, draw) => {
    const scale = temperature === 0 ? 1 : 1 / temperature;
    let best = 0;
    for (let id = 1; id < vocabulary; id++) if (logits[id]! > logits[best]!) best = id;
    const most = logits[best]!;
    let sum = 0;
    for (let id = 0; id < vocabulary; id++) {
      weights[id] = Math.exp((logits[id]! - most) * scale);
      sum += weights[id]!;
    }
    if (!(sum >= 1))
      throw new UmaError("provider", "the model's logits are no numbers", {
        fix: "its weights are too large for float32; go back to an earlier checkpoint, or train with a smaller learning rate",
      });
    const id = temperature === 0 ? best : drawn(weights, draw * sum);
    return { id, logprob: (logits[id]! - most) * scale - Math.log(sum) };
  };
}

/** The first at which the sum exceeds `left`, so never one of weight 0. */
function drawn(weights: Float64Array, left: number): number {
  let rest = left;
  let likely = 0;
  for (let id = 0; id < weights.length; id++) {
    if (weights[id] === 0) continue;
    likely = id;
    rest -= weights[id]!;
    if (rest < 0) break;
  }
  // rounding may leave a crumb past the last one
  return likely;
}
