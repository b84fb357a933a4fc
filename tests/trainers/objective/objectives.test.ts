/** Objectives and profiles are data: the shipped ones are valid, survive JSON, and anything else is refused with what to do. */
import { describe, expect, it } from "vitest";
import { objectiveFrom, objectives } from "../../../trainers/objective/objectives.ts";
import { profileFrom, profiles } from "../../../trainers/objective/profiles.ts";

describe("objectives", () => {
  it.each(Object.entries(objectives))("%s is the same by name, as data and through JSON", (name, objective) => {
    expect(objectiveFrom(name)).toEqual(objective);
    expect(objectiveFrom(objective)).toEqual(objective);
    expect(objectiveFrom(JSON.parse(JSON.stringify(objective)))).toEqual(objective);
  });

  it("an unknown name lists the known ones, also for names that every object has", () => {
    for (const name of ["ppo", "toString", ""])
      expect(() => objectiveFrom(name)).toThrow(/there is no objective named/);
  });

  it("a misspelt or missing field is named", () => {
    expect(() => objectiveFrom({ ...objectives.dapo, agregation: "token-mean" })).toThrow(/agregation/);
    expect(() => objectiveFrom({ loss: "clipped", kl: null, aggregation: "token-mean" })).toThrow(/clip/);
    expect(() => objectiveFrom(null)).toThrow(/not an objective/);
  });
});

describe("profiles", () => {
  it.each(Object.entries(profiles))("%s is the same by name, as data and through JSON", (name, profile) => {
    expect(profile.name).toBe(name);
    expect(profileFrom(name)).toEqual(profile);
    expect(profileFrom(JSON.parse(JSON.stringify(profile)))).toEqual(profile);
  });

  it("an unknown name or a wrong field is refused", () => {
    expect(() => profileFrom("skyrl-jax")).toThrow(/there is no learner profile named "skyrl-jax"/);
    expect(() => profileFrom({ ...profiles.tinker, reduction: "sometimes" })).toThrow(/reduction/);
  });
});
