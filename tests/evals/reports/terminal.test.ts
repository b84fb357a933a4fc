import { describe, expect, test } from "vitest";
import { clipToWidth, displayWidth, padToWidth, printable } from "../../../evals/reports/display-width.ts";
import { summarise } from "../../../evals/reports/summary.ts";
import { number, text } from "../../../evals/reports/tables/report-table.ts";
import { renderTable, renderTerminal } from "../../../evals/reports/terminal.ts";
import { inventRun, temporaryFolder } from "./invented-run.ts";
import { contexts, inventRag, inventUma, umaRecords, umaScores } from "./two-variants.ts";

const folder = temporaryFolder();
const summary = summarise([inventUma(folder), inventRag(folder)]);

describe("a report for the terminal", () => {
  const output = renderTerminal(summary, { width: 100 });

  test("scores stand with their interval and the scored of all asked questions, the best of a column marked", () => {
    expect(output).toContain(`
ledger-qa: all questions
run                                      em                         f1
──────────────────────────────────────────────────────────────────────
uma · some-model  75.0 [50.0, 100.0] (4/5)*  87.5 [75.0, 100.0] (4/5)*
rag · some-model   60.0 [0.0, 100.0] (5/5)    60.0 [0.0, 100.0] (5/5)
`);
  });

  test("the headline is split by horizon and by category", () => {
    expect(output).toContain(`
ledger-qa: em by horizon
run                         2            10
───────────────────────────────────────────
uma · some-model  50.0 (2/2)*  100.0 (2/3)*
rag · some-model   0.0 (2/2)   100.0 (3/3)*
`);
    expect(output).toContain("ledger-qa: em by category");
  });

  test("failures come first, and budget, hashes, tokens and times stand with every run", () => {
    expect(output.split("\n")[0]).toBe(
      "! uma · some-model: 1 of 5 questions failed; they are in no mean, so read scored/total.",
    );
    expect(output).toMatch(/^ {2}budget +8,192 \+ 8,192 tokens, 32 turns × 16 calls$/m);
    expect(output).toContain("default 00112233aabbccdd");
    expect(output).toContain(`hash ${summary.runs[0]!.benchmark.data}`);
    expect(output).toContain("400 prompt + 120 interaction tokens, 80 of them sampled");
    expect(output).toMatch(/^ {2}building +4 sessions, 3 ended by text, 1 by error; 5\.0 s in all, 4\.0 s elapsed$/m);
    expect(output).toMatch(/^ {2}building +–$/m);
    expect(output).toContain("tool validity 77.8 (7/9): 1 repaired, 1 invalid, 1 refused; 1 misses count");
  });

  test.each([40, 60, 80, 120])("no table or text is wider than %d columns, and no number is cut", (width) => {
    const lines = renderTerminal(summary, { width })
      .split("\n")
      .filter((line) => !line.includes(folder));
    expect(Math.max(...lines.map(displayWidth))).toBeLessThanOrEqual(width);
    expect(lines.join("\n")).toContain("75.0 [50.0, 100.0] (4/5)*");
  });

  test("a scripted policy is called no model, in the first line and in every row", () => {
    const scripted = inventRun(folder, "scripted", {
      config: { policy: { spec: {}, name: "ledger-expert", scripted: true } },
      contexts,
      records: umaRecords,
      scores: umaScores,
    });
    const lines = renderTerminal(summarise([scripted])).split("\n");
    expect(lines[0]).toContain("No model was run");
    expect(lines.filter((line) => line.includes("ledger-expert") && !line.startsWith("!"))).not.toHaveLength(0);
    for (const line of lines.filter((line) => line.includes("uma · ledger-expert")))
      expect(line).toContain("(no model)");
  });

  test("a run without scores shows a dash over all its questions, never a zero", () => {
    const unscored = inventRun(folder, "unscored", { contexts });
    const both = renderTerminal(summarise([unscored, inventRag(folder, "rag-2")]));
    expect(both).toMatch(/^uma · some-model +– \(0\/5\)/m);
    expect(renderTerminal(summarise([unscored]))).toContain("5 of 5 questions have no session");
  });
});

describe("columns", () => {
  test.each([
    ["plain", 5],
    ["支出", 4],
    ["👩‍👩‍👧 ok", 5],
    ["e\u0301", 1],
    ["שלום", 4],
    ["🇩🇪", 2],
    ["ｆｕｌｌ", 8],
    ["", 0],
  ])("%j takes %d", (value, width) => {
    expect(displayWidth(value)).toBe(width);
  });

  test("wide characters, emoji and right-to-left names keep the columns aligned", () => {
    const rows = ["餐饮", "👩‍👩‍👧 family", "שלום", "plain"].map((name) => ({ cells: [name, "1.0"] }));
    const lines = renderTable({ id: "t", title: "t", columns: [text("name"), number("score")], rows }, 80).split("\n");
    for (const line of lines.slice(3)) expect(displayWidth(line)).toBe(displayWidth(lines[2]!));
  });

  test("a text is clipped between graphemes and padded to its width", () => {
    expect(clipToWidth("餐饮支出", 5)).toBe("餐饮…");
    expect(clipToWidth("👩‍👩‍👧👩‍👩‍👧", 3)).toBe("👩‍👩‍👧…");
    expect(padToWidth("餐饮", 6, "right")).toBe("  餐饮");
  });

  test("escape sequences and direction overrides of a data set do not reach the terminal", () => {
    expect(printable("a\u001b[31mred\u202Eevil\r\nb\u0007")).toBe("a�[31mred�evil b�");
  });
});
