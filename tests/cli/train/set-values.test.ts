/** Fields of a recipe are changed by path; several settings come as one text. */
import { describe, expect, it } from "vitest";
import { readSettings } from "../../../cli/train/set-values.ts";

describe("--set", () => {
  it.each([
    ["updates=3", { updates: 3 }],
    ["adam.learningRate=1e-4,updates=3", { "adam.learningRate": 1e-4, updates: 3 }],
    [
      'data.0.config={"horizon":[2,3],"a":"x,y=1"},updates=2',
      { "data.0.config": { horizon: [2, 3], a: "x,y=1" }, updates: 2 },
    ],
    ["guards.maxKl=null,rollout.variant=uma", { "guards.maxKl": null, "rollout.variant": "uma" }],
    // a comma before what is no path belongs to the value
    ["objective=one,two", { objective: "one,two" }],
    ["summary=", { summary: "" }],
  ])("%s", (text, expected) => {
    expect(readSettings(text)).toEqual(expected);
  });

  it.each(["updates", "=3"])("refuses %s", (text) => {
    expect(() => readSettings(text)).toThrow(`expected path=value, got ${JSON.stringify(text)}`);
  });
});
