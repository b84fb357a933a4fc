/** The docs name what is there: links and paths exist, and the dependency page is package.json with reasons. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { expect, it } from "vitest";
import { readBatchFile } from "../evals/batch.ts";

const root = resolve(import.meta.dirname, "..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pages = [
  ...readdirSync(root).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(root, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];

it("gives every dependency one line with its exact version and a reason", () => {
  const manifest = JSON.parse(read("package.json")) as Record<
    "dependencies" | "devDependencies",
    Record<string, string>
  >;
  const rows = new Map(
    [...read("docs/dependencies.md").matchAll(/^\| ([^|]+?) \| ([^|]+?) \| ([^|]{10,}?) \|$/gm)].map(
      ([, name = "", version = ""]) => [name, version],
    ),
  );
  rows.delete("package");
  expect(Object.fromEntries(rows)).toEqual({ ...manifest.dependencies, ...manifest.devDependencies });
});

it("links only to files that exist", () => {
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:|#)([^)#]+)[^)]*\)/g)]
      .map(([, target = ""]) => target)
      .filter((target) => !existsSync(resolve(root, dirname(page), target)))
      .map((target) => `${page} → ${target}`),
  );
  expect(broken).toEqual([]);
});

it("maps the paper and the glossary to files and tests that exist", () => {
  const missing = ["docs/paper-map.md", "docs/glossary.md"].flatMap((page) => {
    let folder = "";
    return [...read(page).matchAll(/`([a-z][\w/.*-]*(?:\.ts|\/))`/g)]
      .map(([, path = ""]) => {
        // a bare file name stands beside the path before it
        const found = path.includes("/") ? path : join(folder, path);
        folder = found.endsWith("/") ? found : dirname(found);
        return found;
      })
      .filter((path) => !path.includes("*") && !existsSync(join(root, path)))
      .map((path) => `${page}: ${path}`);
  });
  expect(missing).toEqual([]);
});

it("shows a batch file that is one", () => {
  const batch = readBatchFile(join(root, "examples", "batch.yaml"));
  expect(batch).toMatchObject({ benchmark: "ledger-qa", variants: ["uma", "rag:topK=5", "uma:withoutRawContext"] });
});

it("has nothing left to fill in", () => {
  expect(pages.filter((page) => /<!--|TODO|TBD/.test(read(page)))).toEqual([]);
});
