import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { drawQuestions } from "../../rollouts/draw-questions.ts";

const contextOf = (id: string, count: number) => ({
  id,
  chunks: ["one"],
  questions: Array.from({ length: count }, (_, i) => ({ id: `q${i}`, text: `question ${i}`, position: 0 })),
});

describe("the questions of a context", () => {
  it("are M different ones in their own order, and the same for the same seed and context", () => {
    fc.assert(
      fc.property(fc.string(), fc.integer(), fc.integer({ min: 1, max: 30 }), fc.nat(), (id, seed, count, m) => {
        const context = contextOf(id, count);
        const M = 1 + (m % count);
        const drawn = drawQuestions(context, M, seed);
        expect(drawn).toHaveLength(M);
        expect(drawn).toEqual(context.questions.filter((question) => drawn.includes(question)));
        expect(drawQuestions(contextOf(id, count), M, seed)).toEqual(drawn);
      }),
    );
  });

  it("differ between contexts and between seeds, and no question is favoured", () => {
    const drawn = (id: string, seed: number) =>
      drawQuestions(contextOf(id, 20), 5, seed).map((question) => question.id);
    expect(drawn("a", 1)).not.toEqual(drawn("b", 1));
    expect(drawn("a", 1)).not.toEqual(drawn("a", 2));
    const counts = new Map<string, number>();
    for (let seed = 0; seed < 400; seed++) for (const id of drawn("a", seed)) counts.set(id, (counts.get(id) ?? 0) + 1);
    // 100 expected each, σ ≈ 8.7
    for (let i = 0; i < 20; i++) expect(Math.abs(counts.get(`q${i}`)! - 100)).toBeLessThan(45);
  });

  it("are all of them without M; more than there are is refused with the numbers", () => {
    const context = contextOf("c", 3);
    expect(drawQuestions(context, null, 1)).toBe(context.questions);
    expect(drawQuestions(context, 3, 1)).toBe(context.questions);
    expect(() => drawQuestions(context, 4, 1)).toThrow(/M = 4 questions per context, but c has 3/);
  });
});
