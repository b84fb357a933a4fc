/** Tensors of the loss: one 32-bit number per target of a part, 0 where the target is not trained. */
import { UmaError } from "../../base/errors.ts";
import type { TracePart } from "../../policies/token-trace.ts";
import { forEachTrained, oldLogprobs, type Term } from "./term.ts";

/** `value` of each trained token t at its target's place, t − 1. Throws `input` for a value that 32 bits cannot hold. */
export function onTrained(term: Term, part: TracePart, value: (t: number) => number): Float32Array {
  const tensor = new Float32Array(part.ids.length - 1);
  forEachTrained(part, (t) => {
    tensor[t - 1] = value(t);
    if (!Number.isFinite(tensor[t - 1]!)) throw notFinite(term, part, t);
  });
  return tensor;
}

export function maskTensor(term: Term, part: TracePart): Float32Array {
  return onTrained(term, part, () => 1);
}

function notFinite(term: Term, part: TracePart, t: number): UmaError {
  const reference = part.ref ? `, under the reference ${part.ref[t]!.toPrecision(4)}` : "";
  return new UmaError(
    "input",
    `session ${term.session.id}, part ${term.session.parts.indexOf(part)}, token ${t}: its weight in the loss is not a finite ` +
      `number (log-probability before the update ${oldLogprobs(part)[t]!.toPrecision(4)}${reference})`,
    {
      fix: "the models' log-probabilities of this token lie too far apart; compare engine and sampler, or bound them (clip.dual, kl.clamp)",
    },
  );
}
