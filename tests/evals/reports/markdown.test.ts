import { describe, expect, test } from "vitest";
import { escapeMarkdown, renderMarkdown } from "../../../evals/reports/markdown.ts";
import { summarise } from "../../../evals/reports/summary.ts";
import { inventRun, question, score, temporaryFolder } from "./invented-run.ts";
import { contexts, inventRag, inventUma } from "./two-variants.ts";

const folder = temporaryFolder();
const lines = renderMarkdown(summarise([inventUma(folder), inventRag(folder)])).split("\n");

describe("a report as Markdown", () => {
  test("has the tables with mean, interval and scored of asked, the best in bold", () => {
    expect(lines).toContain("| run | em | f1 |");
    expect(lines).toContain("| --- | --: | --: |");
    expect(lines).toContain("| uma · some-model | **75.0** [50.0, 100.0] (4/5) | **87.5** [75.0, 100.0] (4/5) |");
    expect(lines).toContain("| rag · some-model | 0.0 (2/2) | **100.0** (3/3) |");
  });

  test("has cost apart for building and answering, with dashes where a method builds nothing", () => {
    expect(lines).toContain("| uma · some-model | building | 4 | 4 | 400 | 120 | 80 | – | 1.3 s | 5.0 s | 4.0 s |");
    expect(lines).toContain("| rag · some-model | building | – | – | – | – | – | – | – | – | – |");
    expect(lines).toContain(
      "| uma · some-model | answering | 5 | 5 | 500 | 150 | 100 | 400 + 25 (1/5) | 1.0 s | 5.0 s | 1.0 s |",
    );
  });

  test("has paired differences, memory, verdicts and where answers were looked up", () => {
    expect(lines).toContain(
      "| uma · some-model | rag · some-model | ledger-qa em | +25.0 | \\[0.0, +50.0\\] | 1 / 0 / 3 | 4 | 2 | 1.000 |",
    );
    expect(lines).toContain("| uma · some-model | 2 | 3 | 1 | 8.5 (2 to 15) | 12 | 3 / 1 / 1 | 25.0 (1/4) |");
    expect(lines).toContain("| uma · some-model | building | 10 | 6 | 1 | 1 | 1 | 1 | 77.8 (7/9) |");
    expect(lines).toContain("| uma · some-model | 4 | 25.0 (1/4) | 0.0 (0/4) | 25.0 (1/4) | 50.0 (2/4) |");
  });

  test("several benchmarks give one table with a row per method, averaged where a method has all of them", () => {
    const locomo = inventRun(folder, "locomo", {
      config: { benchmark: { name: "locomo", config: {} } },
      contexts: [contexts[0]!],
      scores: [score("c1", "1", { f1: 0.5 })],
    });
    const both = renderMarkdown(summarise([inventUma(folder, "uma-2"), inventRag(folder, "rag-2"), locomo])).split(
      "\n",
    );
    expect(both).toContain("| run | ledger-qa em | locomo f1 | average |");
    expect(both).toContain("| uma · some-model | **75.0** [50.0, 100.0] (4/5) | 50.0 (1/2) | 62.5 |");
    expect(both).toContain("| rag · some-model | 60.0 [0.0, 100.0] (5/5) | – | – |");
  });

  test("seeds stand below the row that pools them", () => {
    const seed = (number: number, em: number) =>
      inventRun(folder, `seed-${number}`, {
        config: { seed: number },
        contexts: [{ ...contexts[0]!, chunks: [`chunk of seed ${number}`] }],
        scores: [score("c1", "1", { em }), score("c1", "2", { em })],
      });
    const pooled = renderMarkdown(summarise([seed(2, 1), seed(1, 0)])).split("\n");
    const at = pooled.indexOf("| uma · some-model · seeds 1, 2 | 50.0 [0.0, 100.0] (4/4) |");
    expect(pooled.slice(at + 1, at + 3)).toEqual(["| ↳ seed 1 | 0.0 (2/2) |", "| ↳ seed 2 | 100.0 (2/2) |"]);
  });

  test("a text of the data cannot become markup, a cell or a line", () => {
    expect(escapeMarkdown("a|b\n<script>`x`**y**[z](javascript:1)&amp;")).toBe(
      "a\\|b &lt;script&gt;\\`x\\`\\*\\*y\\*\\*\\[z\\](javascript:1)&amp;amp;",
    );
    const hostile = inventRun(folder, "hostile", {
      contexts: [{ ...contexts[0]!, questions: [question("1", { category: "<img src=x>|\n# x" }), question("2")] }],
      scores: [score("c1", "1", { em: 1 }, { category: "<img src=x>|\n# x" }), score("c1", "2", { em: 0 })],
    });
    const text = renderMarkdown(summarise([hostile]));
    expect(text).toContain("| run | &lt;img src=x&gt;\\| \\# x | sum |");
    expect(text).not.toContain("<img");
  });
});
