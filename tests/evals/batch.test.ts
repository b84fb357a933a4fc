import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { cellsOf, readBatchFile } from "../../evals/batch.ts";

const folder = mkdtempSync(join(tmpdir(), "umagraph-batch-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the cells of a batch", () => {
  const label = (policy: { policy: string }) => policy.policy;

  test("are every variant with every policy and seed, in that order, each in a folder of its own", () => {
    const cells = cellsOf(
      "out",
      { variants: ["uma", "rag:topK=5"], policies: [{ policy: "a" }, { policy: "org/b c" }], seeds: [1, 2] },
      label,
    );
    expect(cells.map(({ folder: path }) => path)).toEqual([
      "out/uma--a--s1",
      "out/uma--a--s2",
      "out/uma--org-b-c--s1",
      "out/uma--org-b-c--s2",
      "out/rag-topK=5--a--s1",
      "out/rag-topK=5--a--s2",
      "out/rag-topK=5--org-b-c--s1",
      "out/rag-topK=5--org-b-c--s2",
    ]);
  });

  test("of one cell: the folder itself", () => {
    expect(cellsOf("out", { variants: ["uma"], policies: [{ policy: "a" }], seeds: [7] }, label)).toEqual([
      { variant: "uma", policy: { policy: "a" }, seed: 7, folder: "out" },
    ]);
  });

  test("that would have one name keep apart", () => {
    const policies = [
      { policy: "a", temperature: 0 },
      { policy: "a", temperature: 1 },
    ];
    const paths = cellsOf("out", { variants: ["uma"], policies, seeds: [0] }, label).map(({ folder: path }) => path);
    expect(paths).toEqual(["out/uma--a--s0", "out/uma--a--s0--2"]);
  });
});

describe("a batch file", () => {
  test("may give one or several of each, and defaults the rest", () => {
    const path = join(folder, "one.yaml");
    writeFileSync(path, "benchmark: ledger-qa\nvariants: rag\nseeds: 3\n");
    expect(readBatchFile(path)).toEqual({ benchmark: "ledger-qa", config: {}, variants: ["rag"], seeds: [3] });
  });

  test("may be JSON", () => {
    const path = join(folder, "one.json");
    writeFileSync(path, JSON.stringify({ benchmark: "locomo", policies: { policy: "openai", model: "m" } }));
    expect(readBatchFile(path)).toMatchObject({
      variants: ["uma"],
      policies: [{ policy: "openai", model: "m" }],
      seeds: [0],
    });
  });

  test("says which field of which file is wrong, what was expected and what came", () => {
    const path = join(folder, "wrong.yaml");
    writeFileSync(path, "benchmark: ledger-qa\nconcurrency: lots\nbudget: 0\n");
    expect(() => readBatchFile(path)).toThrow(
      expect.objectContaining({
        code: "config",
        message: `${path}: budget: expected at least 1024, got 0; concurrency: expected a number, got "lots"`,
      }),
    );
  });
});
