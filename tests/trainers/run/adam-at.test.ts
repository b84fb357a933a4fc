import { describe, expect, it } from "vitest";
import { RlRecipe } from "../../../trainers/recipes/recipe.ts";
import { adamAt } from "../../../trainers/run/adam-at.ts";

const { adam } = RlRecipe.shape;
const rates = (updates: number, written: object) =>
  Array.from(
    { length: updates },
    (_, at) => adamAt(at + 1, { updates, adam: adam.parse({ learningRate: 1, ...written }) }).learningRate,
  );

describe("the rate of an update", () => {
  it("stays where nothing else is asked for", () => {
    expect(rates(4, {})).toEqual([1, 1, 1, 1]);
  });

  it("rises over the first updates and falls over its share of the last, however many there are", () => {
    expect(rates(8, { warmUp: 2, anneal: 0.5 })).toEqual([0.5, 1, 1, 1, 1, 0.75, 0.5, 0.25]);
    expect(rates(4, { warmUp: 2, anneal: 0.5 })).toEqual([0.5, 1, 1, 0.5]);
    // too short to fall
    expect(rates(2, { anneal: 0.5 })).toEqual([1, 1]);
  });

  it("leaves the other numbers as the recipe has them", () => {
    const made = adamAt(1, { updates: 1, adam: adam.parse({ learningRate: 0.1, beta2: 0.9 }) });
    expect(made).toEqual({ learningRate: 0.1, beta1: 0.9, beta2: 0.9, eps: 1e-8, weightDecay: 0, gradClipNorm: 1 });
  });
});
