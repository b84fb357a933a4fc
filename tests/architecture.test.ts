/** Imports point one way (docs/architecture.md). A checker that reads nothing proves nothing, so it also counts what it read. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..");

/** Each folder may import from itself and from the folders listed. */
const allowed: Record<string, readonly string[]> = {
  base: [],
  memory: ["base"],
  retrieval: ["base"],
  tools: ["memory", "retrieval", "base"],
  policies: ["tools", "memory", "retrieval", "base"],
  nodes: ["policies", "tools", "memory", "retrieval", "base"],
  graphs: ["nodes", "policies", "tools", "memory", "retrieval", "base"],
  evals: ["graphs", "nodes", "policies", "tools", "memory", "retrieval", "base"],
  trainers: ["evals", "graphs", "nodes", "policies", "tools", "memory", "retrieval", "base"],
  cli: ["trainers", "evals", "graphs", "nodes", "policies", "tools", "memory", "retrieval", "base"],
};

const imports = Object.keys(allowed).flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const path = join(root, folder, file);
      const text = readFileSync(path, "utf8");
      return [...text.matchAll(/(?:from|import)\s*\(?\s*["'`](\.{1,2}\/[^"'`]*)["'`]/g)].map(([, specifier = ""]) => ({
        from: relative(root, path),
        folder,
        to: relative(root, resolve(dirname(path), specifier)).split("/")[0]!,
      }));
    }),
);

it("reads the imports of the whole tree", () => {
  expect(imports.length).toBeGreaterThan(400);
  expect(new Set(imports.map((line) => line.folder))).toEqual(new Set(Object.keys(allowed)));
});

it("lets imports point only from left to right", () => {
  const wrong = imports.filter(({ folder, to }) => to !== folder && !allowed[folder]!.includes(to));
  // the package's own description is not code
  expect(wrong.filter(({ to }) => to !== "package.json")).toEqual([]);
});

it("has no file named for being left over", () => {
  const files = Object.keys(allowed).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }),
  );
  expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|misc)(\.ts|\/|$)/.test(file))).toEqual([]);
});
