import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { barChart } from "../../../evals/reports/charts/bar-chart.ts";
import { scoreCurve } from "../../../evals/reports/charts/score-curve.ts";
import { niceTicks } from "../../../evals/reports/charts/svg.ts";
import { escapeHtml, jsonForScript } from "../../../evals/reports/html/escape-html.ts";
import { sessionData } from "../../../evals/reports/html/session-data.ts";
import { textPieces } from "../../../evals/reports/html/text-pieces.ts";
import { renderHtml } from "../../../evals/reports/html.ts";
import { readRuns } from "../../../evals/reports/read-run.ts";
import { summariseRuns } from "../../../evals/reports/summary.ts";
import { inventRun, memorySession, qaSession, question, score, temporaryFolder, toolCall } from "./invented-run.ts";
import { contexts, inventRag, inventUma, umaRecords } from "./two-variants.ts";

const folder = temporaryFolder();
const runs = readRuns([inventUma(folder), inventRag(folder)]);
const { html, sessions } = renderHtml(summariseRuns(runs), runs);

/** What the page's script reads. */
const blockOf = (page: string, name: string) => {
  const [, base64] = page.match(new RegExp(`data-block="${name}">([A-Za-z0-9+/=]*)</script>`))!;
  return JSON.parse(gunzipSync(Buffer.from(base64!, "base64")).toString("utf8"));
};

describe("the HTML report", () => {
  test("is one file that asks the network for nothing", () => {
    expect(html).not.toMatch(/\b(?:src|href)\s*=\s*["']?(?:https?:|\/\/)/i);
    expect(html).not.toMatch(/@import|url\(/);
    expect(html).toContain("default-src 'none'");
  });

  test("has the tables and plots in it without any script", () => {
    expect(html).toContain("<title>ledger-qa: uma, rag · umagraph report</title>");
    expect(html).toContain('<strong>75.0</strong></span><span class="interval">[50.0, 100.0]</span>');
    expect(html).toContain('aria-label="em × 100 by horizon"');
    expect(html).toContain('aria-label="em by category"');
    expect(html).toContain('aria-label="Tokens"');
  });

  test("says loudly when no model was run, and says nothing of it otherwise", () => {
    expect(html).not.toContain("No model: scripted policy");
    const scripted = readRuns([
      inventRun(folder, "scripted", {
        config: { policy: { spec: {}, name: "ledger-expert", scripted: true } },
        contexts,
      }),
    ]);
    expect(renderHtml(summariseRuns(scripted), scripted).html).toContain("<strong>No model: scripted policy.</strong>");
  });

  test("a run that has only begun is a report too, with dashes and no plots of scores", () => {
    const begun = readRuns([inventRun(folder, "begun", {})]);
    const { html: page, sessions: carried } = renderHtml(summariseRuns(begun), begun);
    expect(carried).toEqual({ embedded: 0, total: 0 });
    expect(page).toContain("Nothing is scored yet.");
    expect(page).not.toContain("NaN");
    expect(page).not.toContain("Infinity");
    expect(page).not.toContain('aria-label="em by category"');
  });

  test("carries the summary as JSON", () => {
    const [, json] = html.match(/<script type="application\/json" id="summary">(.*?)<\/script>/s)!;
    expect(JSON.parse(json!)).toEqual(JSON.parse(JSON.stringify(summariseRuns(runs))));
  });

  test("carries every session, whole", () => {
    expect(sessions).toEqual({ embedded: 14, total: 14 });
    const index = blockOf(html, "index");
    const item = index.sessions.find(({ id, r }: { id: string; r: number }) => id === "c1/t0/m1" && r === 0);
    const session = blockOf(html, item.block)[item.at];
    const record = umaRecords.find(({ id }) => id === "c1/t0/m1")!;
    expect(item).toMatchObject({ s: "m", p: 1, kept: true, bad: 2, w: [0, 1, 1], end: "text" });
    expect(session).toMatchObject({ id: record.id, core: record.core, tokens: record.tokens });
    expect(session.calls.map(({ verdict }: { verdict: string }) => verdict)).toEqual(
      record.calls.map(({ verdict }) => verdict),
    );
    expect(session.calls[0].writes).toEqual(record.calls[0]!.writes);
    expect(blockOf(html, index.contexts[item.c].texts).chunks).toEqual(["chunk 0", "chunk 1"]);
  });

  test("a failed session has no bank changes and no score in the index", () => {
    const { sessions: items } = blockOf(html, "index");
    const failed = items.find(({ id }: { id: string }) => id === "c2/t0/m1");
    expect(failed.w).toBeUndefined();
    expect(items.find(({ id, r }: { id: string; r: number }) => id === "c2/t0/q3" && r === 0).score).toBeNull();
  });

  test("texts that hold markup, script ends and line separators stay texts", () => {
    const evil = `</script><script>alert(1)</script><img src=x onerror=alert(2)>\u2028"'&`;
    const hostile = readRuns([
      inventRun(folder, "hostile", {
        config: { name: evil, variant: { spec: "uma", name: evil, paper: evil } },
        contexts: [
          { id: "c1", chunks: [evil], facets: {}, questions: [question(evil, { text: evil, category: evil })] },
        ],
        records: [qaSession("c1", evil, { answer: evil, text: evil }), memorySession("c1", 0, { chunk: evil })],
        scores: [score("c1", evil, { [evil]: 1 }, { category: evil })],
      }),
    ]);
    const page = renderHtml(summariseRuns(hostile), hostile, { title: evil }).html;
    expect(page).not.toContain("<img");
    expect(page).not.toContain("alert(1)</script>");
    // head, summary, blocks and the page's own
    expect(page.match(/<script/g)!.length).toBe(page.match(/<\/script>/g)!.length);
    const item = blockOf(page, "index").sessions.find(({ s }: { s: string }) => s === "q");
    expect(blockOf(page, item.block)[item.at].answer).toBe(evil);
  });
});

describe("how many sessions a page carries", () => {
  const labelled = runs.map((log, i) => ({ log, label: `run ${i}`, headline: "em" }));
  const indexOf = (blocks: ReadonlyMap<string, string>) =>
    JSON.parse(gunzipSync(Buffer.from(blocks.get("index")!, "base64")).toString("utf8"));

  test("whole contexts of all runs go in first, and what is left out is counted", () => {
    const { blocks, embedded, total } = sessionData(labelled, { sessions: 8 });
    const index = indexOf(blocks);
    // c1 of both runs has 4 + 2 sessions; of c2's 5 + 3 a quarter or less is left
    expect(total).toBe(14);
    expect(index.contexts[0].id).toBe("c1");
    expect(index.sessions.filter(({ c }: { c: number }) => c === 0)).toHaveLength(6);
    expect(embedded).toBe(index.sessions.length);
    expect(embedded).toBeLessThanOrEqual(8);
    expect(index.total).toBe(14);
  });

  test("a context that is too large gives the beginning of its stream and of its questions", () => {
    const { blocks } = sessionData(labelled.slice(0, 1), { sessions: 2 });
    expect(indexOf(blocks).sessions.map(({ id }: { id: string }) => id)).toEqual(["c1/t0/m0", "c1/t0/q1"]);
  });

  test("bytes are a limit too, and with no room there is an index and nothing else", () => {
    const { blocks, embedded } = sessionData(labelled, { bytes: 10 });
    expect(embedded).toBe(0);
    expect([...blocks.keys()]).toEqual(["index"]);
  });

  test("chosen contexts are all that a page carries", () => {
    const index = indexOf(sessionData(labelled, { contexts: ["c2"] }).blocks);
    expect(index.contexts.map(({ id }: { id: string }) => id)).toEqual(["c2"]);
    expect(index.sessions).toHaveLength(8);
  });

  test("a context that nobody has, by its name, is an error that names those there are", () => {
    expect(() => sessionData(labelled, { contexts: ["c3"] })).toThrow('no run has a context named "c3"');
  });

  test("a context that was begun without a finished session does not keep the others out", () => {
    const resumed = readRuns([inventRun(folder, "resumed", { contexts, records: [qaSession("c2", "1")] })]);
    expect(renderHtml(summariseRuns(resumed), resumed).sessions).toEqual({ embedded: 1, total: 1 });
  });

  test("a thousand long sessions that repeat each other take little room", () => {
    const passages = Array.from({ length: 40 }, (_, i) => `passage ${i}: ${"some words of it ".repeat(50)}${i}`);
    const many = Array.from({ length: 1_000 }, (_, i) =>
      qaSession("c1", String(i), {
        calls: [
          toolCall("memory_bm25_retrieve", {
            observation: JSON.stringify({ results: passages.slice(i % 20, (i % 20) + 20).join("\n") }),
          }),
        ],
      }),
    );
    const questions = many.map(({ question: id }) => question(id!));
    const context = { ...runs[0]!.contexts[0]!, chunks: 0, questions };
    const large = [{ ...runs[0]!, contexts: [context], records: many, scores: [] }];
    const { html: page, sessions: carried } = renderHtml(summariseRuns(large), large);
    expect(carried).toEqual({ embedded: 1_000, total: 1_000 });
    expect(JSON.stringify(many).length).toBeGreaterThan(17_000_000);
    expect(page.length).toBeLessThan(500_000);
  });
});

describe("texts in the page", () => {
  test("pieces joined are the text, whatever it holds", () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: "binary", maxLength: 400 })), (parts) => {
        const { pack, pieces } = textPieces();
        for (const text of [parts.join("\n"), parts.join("\\n"), JSON.stringify(parts)]) {
          const packed = pack(text);
          expect(typeof packed === "string" ? packed : packed.map((i) => pieces[i]).join("")).toBe(text);
        }
      }),
    );
  });

  test("a line that was seen before costs a number", () => {
    const { pack, pieces } = textPieces();
    const line = `${"x".repeat(300)}\n`;
    expect(pack(line + line)).toEqual([0, 0]);
    expect(pieces).toEqual([line]);
  });

  test("escaped text and JSON cannot leave the element they stand in", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(escapeHtml(text)).not.toMatch(/[<>"']/);
        expect(jsonForScript(text)).not.toMatch(/[<>&\u2028\u2029]/);
        expect(JSON.parse(jsonForScript(text))).toBe(text);
      }),
    );
  });
});

describe("plots", () => {
  const value = (mean: number | null, low: number | null, high: number | null) => ({
    mean,
    low,
    high,
    scored: mean === null ? 0 : 4,
    n: 4,
    clusters: 2,
    reason: null,
  });

  test("a point stands at its score, with a whisker where there is an interval, and not at all without a score", () => {
    const svg = scoreCurve(
      [
        {
          label: "<uma>",
          points: [
            { x: 2, value: value(1, 0.5, 1) },
            { x: 10, value: value(0.5, null, null) },
            { x: 500, value: value(null, null, null) },
          ],
        },
      ],
      { x: "horizon", y: "em" },
    );
    expect(svg.match(/<circle/g)).toHaveLength(2);
    expect(svg.match(/class="whisker"/g)).toHaveLength(3);
    expect(svg).toContain("&lt;uma&gt;, horizon 2: 100.0 [50.0, 100.0], 4/4 questions");
    // score 1 is at the top of the plot (y = 14), score 0.5 in the middle between it and the bottom (y = 276)
    expect(svg).toMatch(/<circle cx="[\d.]+" cy="14"/);
    expect(svg).toMatch(/<circle cx="[\d.]+" cy="145"/);
    for (const x of ["2", "10", "500"]) expect(svg).toContain(`>${x}</text>`);
  });

  test("a bar is as long as its value, and absent is a dash without a bar", () => {
    const svg = barChart(
      [
        { label: "a", bars: [{ series: 0, value: 0.5, note: "50.0", tip: "" }] },
        { label: "b", bars: [{ series: 0, value: null, note: "–", tip: "" }] },
      ],
      { label: "scores", max: 1, tick: String },
    );
    const [, width] = svg.match(/<rect [^>]*width="([\d.]+)"/)!;
    const [, end] = svg.match(/<line x1="([\d.]+)"[^>]*class="grid"/)!;
    expect(svg.match(/<rect/g)).toHaveLength(1);
    expect(svg).toContain(">–</text>");
    expect(Number(width)).toBeGreaterThan(0);
    expect(Number(end)).toBeGreaterThan(0);
  });

  test.each([
    [1, 4, [0, 0.25, 0.5, 0.75, 1]],
    [93, 4, [0, 25, 50, 75, 100]],
    [7, 5, [0, 2, 4, 6, 8]],
    [0, 4, [0, 1]],
  ])("ticks up to %d are round numbers", (max, count, expected) => {
    expect(niceTicks(max, count)).toEqual(expected);
  });
});
