import { expect, test } from "vitest";
import { exitCodes, messageOf, UmaError } from "../../base/errors.ts";

test("every kind of error has an exit code of its own, and none is success", () => {
  const { ok, ...failures } = exitCodes;
  expect(ok).toBe(0);
  expect(new Set(Object.values(failures)).size).toBe(Object.keys(failures).length);
  expect(Object.values(failures)).not.toContain(0);
});

test("an error keeps its cause, its code and what to do", () => {
  const cause = new Error("underneath");
  expect(new UmaError("store", "above", { fix: "do this", cause })).toMatchObject({
    code: "store",
    fix: "do this",
    cause,
  });
});

test("whatever was thrown has a text", () => {
  expect([new Error("a"), "b", null, { c: 1 }].map(messageOf)).toEqual(["a", "b", "null", "[object Object]"]);
});
