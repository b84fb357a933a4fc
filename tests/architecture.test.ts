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
  learner: ["base"],
  tools: ["memory", "retrieval", "base"],
  policies: ["tools", "learner", "memory", "retrieval", "base"],
  nodes: ["policies", "tools", "memory", "retrieval", "base"],
  graphs: ["nodes", "policies", "tools", "memory", "retrieval", "base"],
  rollouts: ["graphs", "nodes", "policies", "tools", "memory", "retrieval", "base"],
  evals: ["rollouts", "graphs", "nodes", "policies", "tools", "memory", "retrieval", "base"],
  trainers: ["evals", "rollouts", "graphs", "nodes", "policies", "tools", "learner", "memory", "retrieval", "base"],
  cli: [
    "trainers",
    "evals",
    "rollouts",
    "graphs",
    "nodes",
    "policies",
    "tools",
    "learner",
    "memory",
    "retrieval",
    "base",
  ],
};

/** Not part of the package: they may import all of it, and nothing may import them. */
const outside = ["bench", "examples"];

const code = [...Object.keys(allowed), ...outside].flatMap((folder) =>
  readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:ts|mjs)$/.test(file))
    .map((file) => ({ folder, path: join(folder, file), text: readFileSync(join(root, folder, file), "utf8") })),
);

/** `from "./a.ts"`, `import("./a.ts")`, and code that is found by `new URL("./a.ts", …)`. */
const specifiers =
  /(?:(?:from|import)\s*\(?\s*|new URL\((?=["'`][^"'`]*\.(?:ts|js|mjs)["'`]))["'`](\.{1,2}\/[^"'`]*)["'`]/g;

const imports = code.flatMap(({ folder, path, text }) =>
  [...text.matchAll(specifiers)].map(([, specifier = ""]) => ({
    from: path,
    folder,
    to: relative(root, resolve(root, dirname(path), specifier)).split("/")[0]!,
  })),
);

it("reads the imports of the whole tree", () => {
  expect(imports.length).toBeGreaterThan(1_390);
  expect(new Set(imports.map((line) => line.folder))).toEqual(new Set([...Object.keys(allowed), ...outside]));
  for (const script of ["cli/umagraph.mjs", "evals/reports/html/page/main.mjs"]) {
    expect(imports.filter(({ from }) => from === script)).not.toEqual([]);
  }
});

it("lets imports point only from left to right", () => {
  const wrong = imports.filter(({ folder, to }) => to !== folder && !allowed[folder]?.includes(to));
  const excused = ({ from, folder, to }: (typeof imports)[number]) =>
    // the command runs what was built where there are no sources
    (from === "cli/umagraph.mjs" && to === "dist") || (outside.includes(folder) && !outside.includes(to));
  expect(wrong.filter((line) => !excused(line))).toEqual([]);
});

it("exports nothing that no other line mentions", () => {
  const tests = readdirSync(join(root, "tests"), { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join(root, "tests", file), "utf8"));
  const mentions = new Map<string, number>();
  for (const text of [...code.map((file) => file.text), ...tests, readFileSync(join(root, "index.ts"), "utf8")]) {
    for (const [word] of text.matchAll(/[A-Za-z_$][\w$]*/g)) mentions.set(word, (mentions.get(word) ?? 0) + 1);
  }
  // what is generated is not chosen
  const written = code.filter(({ path }) => !path.endsWith("_pb.ts"));
  const exported = written.flatMap(({ path, text }) =>
    [...text.matchAll(/^export (?:async )?(?:const|function\*?|class|interface|type) ([A-Za-z_$][\w$]*)/gm)].map(
      ([, name = ""]) => ({ path, name }),
    ),
  );
  expect(exported.length).toBeGreaterThan(1_100);
  expect(exported.filter(({ name }) => mentions.get(name) === 1)).toEqual([]);
});

it("has no file named for being left over", () => {
  const files = Object.keys(allowed).flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }),
  );
  expect(files.filter((file) => /(^|\/)(utils?|helpers?|common|misc)(\.ts|\/|$)/.test(file))).toEqual([]);
});
