/**
 * One sequence as an engine takes it: inputs and targets shifted by one, and a number per target for each tensor of the loss.
 *
 * Token ids and log-probabilities are views of the trace, never copies; only the tensors computed here take memory.
 */
import { UmaError } from "../../base/errors.ts";
import type { TracePart } from "../../policies/token-trace.ts";
import type { Logprobs, Term } from "./term.ts";

/** Every array has one element per target: one fewer than the part has tokens. */
export type Tensors = {
  readonly target_tokens: Int32Array;
  readonly logprobs?: Float32Array;
  readonly advantages?: Float32Array;
  readonly weights?: Float32Array;
  readonly mask?: Float32Array;
  readonly ref_logprobs?: Float32Array;
  readonly kl_weights?: Float32Array;
};

export interface Datum {
  /** Whose tokens these are; not sent. */
  readonly session: string;
  readonly part: number;
  readonly modelInput: Int32Array;
  readonly lossFnInputs: Tensors;
}

/** The datums of all terms, one at a time and in order. */
export function* datumsOf(
  terms: readonly Term[],
  tensors: (term: Term, part: TracePart, p: number) => Omit<Tensors, "target_tokens">,
): Generator<Datum> {
  for (const term of terms) {
    for (const [p, part] of term.session.parts.entries()) {
      yield {
        session: term.session.id,
        part: p,
        modelInput: part.ids.subarray(0, -1),
        lossFnInputs: { target_tokens: part.ids.subarray(1), ...tensors(term, part, p) },
      };
    }
  }
}

/** Token-aligned log-probabilities as a tensor of the loss. */
export function forTargets(logprobs: Float32Array): Float32Array {
  return logprobs.subarray(1);
}

/** Refuses log-probabilities that are not one array per datum with one number per target. */
export function checkLogprobs(terms: readonly Term[], current: readonly Logprobs[]): void {
  const parts = terms.flatMap(({ session }) =>
    session.parts.map((part, p) => ({ part, where: `session ${session.id}, part ${p}` })),
  );
  if (current.length !== parts.length)
    throw new UmaError("input", `expected log-probabilities of ${parts.length} datums, got ${current.length}`);
  parts.forEach(({ part, where }, i) => {
    if (current[i]!.length !== part.ids.length - 1)
      throw new UmaError(
        "input",
        `${where}: expected ${part.ids.length - 1} log-probabilities, one per target, got ${current[i]!.length}`,
      );
  });
}
