import { describe, expect, it } from "vitest";
import { policySpecs } from "../../../cli/policy-flags.ts";
import { createPolicy } from "../../../policies/index.ts";

const specs = (policy: string, given: object = {}) => policySpecs([policy], given, new Set(Object.keys(given)));

describe("--policy learner:<url>", () => {
  it("is the learner policy at that address, whatever --base-url says", () => {
    const expected = [{ policy: "learner", baseURL: "http://127.0.0.1:8700" }];
    expect(specs("learner:http://127.0.0.1:8700")).toEqual(expected);
    expect(specs("learner:http://127.0.0.1:8700", { baseUrl: "http://other" })).toEqual(expected);
    expect(specs("learner", { baseUrl: "http://127.0.0.1:8700" })).toEqual(expected);
  });

  it("takes weights and temperature, and none of the flags of chat servers", () => {
    const model = "tinker://run/sampler_weights/step-1";
    expect(specs("learner:http://h", { model, temperature: 0 })).toEqual([
      { policy: "learner", baseURL: "http://h", model, temperature: 0 },
    ]);
    expect(() => specs("learner:http://h", { format: "hermes" })).toThrow(
      "--format means nothing to the policy learner",
    );
  });

  it("has to be an address", async () => {
    await expect(createPolicy(specs("learner:8700")[0]!)).rejects.toMatchObject({
      code: "config",
      message: "policy learner: baseURL: expected a URL such as http://127.0.0.1:8700",
    });
  });
});
