import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeFolder } from "../../base/make-folder.ts";

const parent = mkdtempSync(join(tmpdir(), "umagraph-make-"));
afterAll(() => rmSync(parent, { recursive: true }));

test("a folder is made with those above it, and one that is there stays", () => {
  expect(makeFolder(join(parent, "a", "b"), "x")).toBe(true);
  expect(makeFolder(join(parent, "a", "b"), "x")).toBe(false);
});

test("what is in the way is named, with what to do", () => {
  writeFileSync(join(parent, "file"), "");
  expect(() => makeFolder(join(parent, "file", "below"), "choose another")).toThrow(
    expect.objectContaining({ code: "store", message: expect.stringContaining("ENOTDIR"), fix: "choose another" }),
  );
});
