/**
 * One sequence as an engine takes it, and the check that it is one.
 *
 * Already shifted: input t predicts `target_tokens[t]`. Arrays stay the caller's; what goes on the wire is made from views of
 * them. The objective compiler's datums are of this shape.
 */
import { UmaError } from "../../base/errors.ts";

export type LossInputs = { readonly target_tokens: Int32Array } & Readonly<
  Record<string, Int32Array | Float32Array | undefined>
>;

export interface Datum {
  readonly modelInput: Int32Array;
  /** One element per position of `modelInput` in each. */
  readonly lossFnInputs: LossInputs;
}

/** Tensors of a datum that are there. */
export function tensorsOf(datum: Datum): [name: string, values: Int32Array | Float32Array][] {
  return Object.entries(datum.lossFnInputs).filter(
    (entry): entry is [string, Int32Array | Float32Array] => entry[1] !== undefined,
  );
}

/** Throws `input`: an empty sequence, another length than the sequence's, a negative id, a number that is not finite. */
export function checkDatum(datum: Datum, at: number): void {
  const n = datum.modelInput.length;
  if (n === 0) throw new UmaError("input", `datum ${at}: expected at least one token, got none`);
  refuseNegative(datum.modelInput, `datum ${at}: modelInput`);
  for (const [name, values] of tensorsOf(datum)) {
    const where = `datum ${at}: ${name}`;
    if (values.length !== n)
      throw new UmaError("input", `${where}: expected ${n} numbers, one per token, got ${values.length}`, {
        fix: "inputs and targets are shifted by one: modelInput = tokens[0..n-1], target_tokens = tokens[1..n]",
      });
    if (values instanceof Int32Array) refuseNegative(values, where);
    else if (name !== "ref_logprobs") refuseNonFinite(values, where, null);
    else refuseNonFinite(values, where, datum.lossFnInputs.kl_weights ?? null);
  }
}

function refuseNegative(ids: Int32Array, where: string): void {
  const at = ids.findIndex((id) => id < 0);
  if (at >= 0) throw new UmaError("input", `${where}: expected token ids from 0, got ${ids[at]} at position ${at}`);
}

/** With `matters`, a position may hold anything where that is 0. */
function refuseNonFinite(values: Float32Array, where: string, matters: ArrayLike<number> | null): void {
  for (let t = 0; t < values.length; t++) {
    if (Number.isFinite(values[t]!) || (matters && matters[t] === 0)) continue;
    throw new UmaError("input", `${where}: expected finite numbers, got ${values[t]} at position ${t}`, {
      fix: "find out where it came from: a step on it would end the run",
    });
  }
}
