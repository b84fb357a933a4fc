/** Numbers of a recipe are changed by path; what leads nowhere is said before anything runs. */
import { describe, expect, it } from "vitest";
import { readSettings, withSettings } from "../../../cli/train/set-values.ts";

const recipe = { updates: 10, data: [{ benchmark: "ledger-qa", config: { horizon: [2] } }], guards: { maxKl: 1 } };

describe("--set", () => {
  it.each([
    ["updates=3", [[["updates"], 3]]],
    [
      "adam.learningRate=1e-4,updates=3",
      [
        [["adam", "learningRate"], 1e-4],
        [["updates"], 3],
      ],
    ],
    [
      'data.0.config={"horizon":[2,3],"a":"x,y=1"},updates=2',
      [
        [["data", "0", "config"], { horizon: [2, 3], a: "x,y=1" }],
        [["updates"], 2],
      ],
    ],
    [
      "guards.maxKl=null,rollout.variant=uma",
      [
        [["guards", "maxKl"], null],
        [["rollout", "variant"], "uma"],
      ],
    ],
    // a comma before what is no path belongs to the value
    ["objective=one,two", [[["objective"], "one,two"]]],
    ["summary=", [[["summary"], ""]]],
  ] as const)("%s", (text, expected) => {
    expect(readSettings(text).map(({ path, value }) => [path, value])).toEqual(expected);
  });

  it("changes a copy, entries of lists included", () => {
    const changed = withSettings(recipe, readSettings("updates=3,data.0.config.horizon=[2,5],data.0.contexts=4"));
    expect(changed).toEqual({
      ...recipe,
      updates: 3,
      data: [{ benchmark: "ledger-qa", config: { horizon: [2, 5] }, contexts: 4 }],
    });
    expect(recipe.data[0]!.config.horizon).toEqual([2]);
  });

  it.each([
    ["updates", /expected path=value, got "updates"/],
    ["=3", /expected path=value/],
    ["gaurds.maxKl=2", /the recipe has no "gaurds"/],
    ["data.1.contexts=2", /data has no "1"/],
    ["data.3={}", /data has no "3"/],
    ["updates.x=1", /updates is 10, and has nothing in it/],
  ])("refuses %s", (text, said) => {
    expect(() => withSettings(recipe, readSettings(text))).toThrow(said);
  });

  it("says which path may have been meant", () => {
    expect(() => withSettings(recipe, readSettings("gaurds.maxKl=2"))).toThrow(
      expect.objectContaining({ fix: "did you mean guards?" }),
    );
  });
});
