/**
 * Prefix merging, worked through on the first golden trace. Ids: 1 opens and 2 closes a message, 11 starts the assistant's turn,
 * 12 is the line end that the template puts after a closed message, 30 and 31 are observations.
 *
 *     turn 0  prompt  1 10 2 1 11                                      samples 20 21 2
 *     turn 1  prompt  1 10 2 1 11 20 21 2 12 1 30 2 1 11               samples 22 2
 *     turn 2  prompt  … 22 2 12 1 31 2 1 11                            samples 23        (cut by length: no 2)
 *
 *     ids     1 10 2 1 11 | 20 21 2 | 12 1 30 2 1 11 | 22 2 | 12 1 31 2 1 11 | 23
 *     mask    0  0 0 0  0 |  1  1 1 |  0 0  0 0 0  0 |  1 1 |  0 0  0 0 0  0 |  1        |s| = 3 + 2 + 1 = 6
 *
 * The closing 2 that the model sampled is trained; the line end after it is the template's and is not. The last completion was
 * cut, and nothing is added to close it.
 */
import { describe, expect, it } from "vitest";
import { type TurnTokens, traceSession } from "../../policies/token-trace.ts";
import { traceCases } from "../trainers/objective/golden-cases.ts";

const turn = (prompt: number[], completion: number[], logprobs = completion.map(() => -0.5)): TurnTokens => ({
  prompt: Int32Array.from(prompt),
  completion: Int32Array.from(completion),
  logprobs: Float32Array.from(logprobs),
});

const plain = (trace: ReturnType<typeof traceSession>) => ({
  ...trace,
  parts: trace.parts.map(({ ids, mask, sampler }) => ({ ids: [...ids], mask: [...mask], sampler: [...sampler] })),
});

describe("a session's trace", () => {
  it.each(traceCases)("$name", ({ turns, expected }) => {
    const trace = traceSession(turns.map(({ prompt, completion, logprobs }) => turn(prompt, completion, logprobs)));
    expect(plain(trace)).toEqual(expected);
  });

  it("keeps the ids of every prompt and completion exactly, whatever they are", () => {
    const trace = traceSession([
      turn([7, 0, 151_644], [2_147_483_647, 0, 5]),
      turn([7, 0, 151_644, 2_147_483_647, 0, 5, 9], [1]),
    ]);
    expect([...trace.parts[0]!.ids]).toEqual([7, 0, 151_644, 2_147_483_647, 0, 5, 9, 1]);
  });

  it("takes a prompt that adds nothing as the same sequence", () => {
    expect(plain(traceSession([turn([1], [2]), turn([1, 2], [3])])).parts).toEqual([
      { ids: [1, 2, 3], mask: [0, 1, 1], sampler: [0, -0.5, -0.5] },
    ]);
  });

  it("does not share memory with the turns, which a sampler may reuse", () => {
    const given = turn([1, 2], [3]);
    const { parts } = traceSession([given]);
    given.prompt[0] = 99;
    given.completion[0] = 99;
    expect([...parts[0]!.ids]).toEqual([1, 2, 3]);
  });

  it("counts |s| over all parts", () => {
    const broken = traceSession([turn([1], [2, 3]), turn([9], [4]), turn([8], [5, 6, 7])]);
    expect(broken.parts).toHaveLength(3);
    expect(broken.trainedTokens).toBe(6);
    expect(broken.breaks).toEqual([
      { turn: 1, at: 0 },
      { turn: 2, at: 0 },
    ]);
  });

  it("refuses what no sampler reports", () => {
    expect(() => traceSession([turn([], [1])], "c/t0/m3")).toThrow(
      /c\/t0\/m3, turn 0: expected at least one prompt token/,
    );
    expect(() => traceSession([turn([1], [2]), turn([1, 2], [3, 4], [-1])], "c/t0/q1")).toThrow(
      /turn 1: expected one log-probability per completion token \(2\), got 1/,
    );
    for (const impossible of [0.5, Number.NaN, Number.NEGATIVE_INFINITY])
      expect(() => traceSession([turn([1], [2], [impossible])])).toThrow(/log-probability of completion token 0 is/);
  });
});
