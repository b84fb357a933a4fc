/** Draws a token from logits, with its exact log-probability: softmax in float64. */
import { UmaError } from "../../base/errors.ts";

export interface Choice {
  readonly id: number;
  /** At the temperature that it was drawn at; of temperature 1 where nothing is drawn (temperature 0). */
  readonly logprob: number;
}

/** `draw` in [0, 1) says which; at temperature 0 it is the most probable, the first of equals. */
export function chooseToken(logits: Float32Array, temperature: number, draw: number): Choice {
  const scale = temperature === 0 ? 1 : 1 / temperature;
  let best = 0;
  for (let id = 1; id < logits.length; id++) if (logits[id]! > logits[best]!) best = id;
  const most = logits[best]!;
  let sum = 0;
  for (let id = 0; id < logits.length; id++) sum += Math.exp((logits[id]! - most) * scale);
  if (!(sum >= 1))
    throw new UmaError("provider", "the model's logits are no numbers", {
      fix: "its weights are too large for float32; train with a smaller learning rate, or go back to an earlier checkpoint",
    });
  let id = best;
  if (temperature > 0) {
    let left = draw * sum;
    let likely = best;
    for (id = 0; id < logits.length; id++) {
      const weight = Math.exp((logits[id]! - most) * scale);
      if (weight === 0) continue;
      likely = id;
      left -= weight;
      if (left < 0) break;
    }
    // rounding may leave a crumb past the last one
    id = likely;
  }
  return { id, logprob: (logits[id]! - most) * scale - Math.log(sum) };
}
