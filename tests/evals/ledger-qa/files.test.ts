import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type EvalContext, validate } from "../../../evals/benchmark.ts";
import { ledgerQa } from "../../../evals/benchmarks/ledger-qa/benchmark.ts";
import { generateContext } from "../../../evals/benchmarks/ledger-qa/context.ts";
import { generateLedgerQa } from "../../../evals/benchmarks/ledger-qa/generate.ts";
import { lineToEvalContext, parseLedgerLine } from "../../../evals/benchmarks/ledger-qa/ledger-lines.ts";
import {
  checkPaperSample,
  paperQuery,
  parsePaperFile,
  readPaperFile,
  toPaperSample,
} from "../../../evals/benchmarks/ledger-qa/paper-format.ts";

const paperFile = new URL("../../golden/ledger_qa_paper_format.json", import.meta.url).pathname;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "ledger-qa-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const collect = async (options: object): Promise<EvalContext[]> => {
  const contexts: EvalContext[] = [];
  for await (const context of ledgerQa.load(ledgerQa.config.parse(options))) contexts.push(context);
  return contexts;
};
const write = (name: string, text: string) => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const generated = async (options: object) => {
  const lines: string[] = [];
  for await (const line of generateLedgerQa(ledgerQa.config.parse(options))) lines.push(JSON.stringify(line));
  return lines;
};

describe("the benchmark", () => {
  it.each(["micro", "full"])("every gold answer scores 1 by its headline metric (%s)", async (profile) => {
    const config = ledgerQa.config.parse({
      profile,
      horizon: [2, 10, 50],
      contexts: 2,
      pointQueries: true,
      perType: 10,
    });
    expect(await validate(ledgerQa, config)).toEqual([]);
  });

  it("yields contexts horizon by horizon, and context i does not depend on how many are asked for", async () => {
    const five = await collect({ horizon: [2, 5], contexts: 5, seed: 3 });
    const two = await collect({ horizon: [2, 5], contexts: 2, seed: 3 });
    expect(five.map(({ facets }) => facets.horizon)).toEqual([2, 2, 2, 2, 2, 5, 5, 5, 5, 5]);
    expect(new Set(five.map(({ id }) => id)).size).toBe(10);
    expect(two).toEqual([five[0], five[1], five[5], five[6]]);
  });

  it("asks everything after the last chunk", async () => {
    for (const { chunks, questions } of await collect({ horizon: [2, 9], contexts: 2 })) {
      expect(chunks.length).toBeGreaterThan(1);
      expect(questions.map(({ position }) => position)).toEqual(questions.map(() => chunks.length - 1));
      expect(new Set(questions.map(({ id }) => id)).size).toBe(questions.length);
    }
  });

  it("a parsed configuration parses to itself, so it can be stored and used again", () => {
    const config = ledgerQa.config.parse({ horizon: 5 });
    expect(config.horizon).toEqual([5]);
    expect(ledgerQa.config.parse(config)).toEqual(config);
  });

  it.each([
    [{ horizon: 0 }],
    [{ horizon: [] }],
    [{ horizon: 2.5 }],
    [{ contexts: 0 }],
    [{ split: "dev" }],
    [{ profile: "tiny" }],
    [{ seed: "7" }],
    [{ horizons: [2] }],
    [{ maxTransactions: 21 }],
  ])("refuses %j", (options) => {
    expect(ledgerQa.config.safeParse(options).success).toBe(false);
  });
});

describe("JSON lines", () => {
  it("load back to the very contexts that were generated", async () => {
    const options = { horizon: [2, 6], contexts: 2, profile: "micro" };
    const path = write("two.jsonl", `${(await generated(options)).join("\n")}\n`);
    expect(await collect({ file: path })).toEqual(await collect(options));
    expect(await collect({ file: path, contexts: 1, questions: 6 })).toEqual(
      await collect({ ...options, horizon: 2, contexts: 1, questions: 6 }),
    );
  });

  it("carry the ledger with its lineage", async () => {
    const [line] = (await generated({ horizon: 12, contexts: 1 })).map((text) => parseLedgerLine(text, "x"));
    expect(line!.ledger.some(({ history }) => history.length > 1)).toBe(true);
    expect(lineToEvalContext(line!).chunks).toEqual(line!.chunks);
  });

  it("are refused with file, line and reason when the ledger no longer gives the answers", async () => {
    const [text] = await generated({ horizon: 2, contexts: 1 });
    const line = JSON.parse(text!);
    line.ledger[0].amount = "123456.00";
    const path = write("tampered.jsonl", `\n${JSON.stringify(line)}\n`);
    await expect(collect({ file: path })).rejects.toThrow(
      /tampered\.jsonl:2: question q\d+ has the answer .*, its ledger gives/,
    );
  });

  it.each([
    ["broken.jsonl", '{"format":', /broken\.jsonl:1: expected one JSON object per line/],
    ["other.jsonl", '{"format":"other"}\n', /other\.jsonl:1: not a umagraph-ledger-qa-1 line: format/],
    ["empty.jsonl", "\n", /holds no context/],
    ["broken.json", "[1,", /expected a JSON array/],
    ["other.json", '[{"task_id":"a"}]', /not the paper's Ledger-QA format: 0\.\w+/],
  ])("%s is refused with a clear reason", async (name, text, reason) => {
    await expect(collect({ file: write(name, text) })).rejects.toThrow(reason);
  });

  it("a missing file is named", async () => {
    await expect(collect({ file: join(folder, "nowhere.jsonl") })).rejects.toThrow(/cannot read .*nowhere\.jsonl/);
  });
});

describe("the paper's format", () => {
  it("is read, and every answer follows from its own ledger", () => {
    const samples = readPaperFile(paperFile);
    expect(samples.map(({ questions }) => questions.length)).toEqual([20, 26]);
    expect(samples.flatMap(checkPaperSample)).toEqual([]);
  });

  it("finds a wrong answer", () => {
    const samples = readPaperFile(paperFile);
    samples[0]!.questions[3]!.answer = "1.00";
    expect(samples.flatMap(checkPaperSample)).toEqual([
      "consumption_tracking_mock0002 synth_mock0002_3: 1.00 in the file, 0.00 from its ledger",
    ]);
  });

  it("loads as a benchmark through the same option as our own files", async () => {
    const contexts = await collect({ file: paperFile });
    expect(contexts.map(({ facets }) => facets)).toEqual([{ horizon: 2 }, { horizon: 5 }]);
    expect(contexts[0]!.questions[0]).toEqual({
      id: "synth_mock0002_0",
      text: "How much was spent on Entertainment from 2023-04-11 to 2024-02-29?",
      answer: "110.00",
      position: 1,
      category: "time_range_scene_amount",
    });
    expect(await validate(ledgerQa, ledgerQa.config.parse({ file: paperFile }))).toEqual([]);
  });

  it("is written: a generated context reads back with the answers its own ledger gives", () => {
    for (const profile of ["micro", "full"] as const) {
      const context = generateContext(12, 0, ledgerQa.config.parse({ profile }));
      const text = JSON.stringify([toPaperSample(context)], null, 4);
      const [sample] = parsePaperFile(text, "x");
      expect(sample!.task_id).toMatch(/^consumption_tracking_[0-9a-f]{8}$/);
      expect(sample!.questions[0]!.qid).toMatch(/^synth_[0-9a-f]{8}_0$/);
      expect(sample!.chunks).toHaveLength(12);
      expect(checkPaperSample(sample!)).toEqual([]);
      const metadata = sample!.metadata as unknown as {
        num_turns: number;
        num_transactions: number;
        total_amount: number;
      };
      expect(metadata.num_turns).toBe(sample!.chunks.join("\n").split("\n").length);
      expect(metadata.num_transactions).toBe(sample!.metadata.transaction_events.length);
      expect(metadata.total_amount.toFixed(2)).toBe(
        sample!.questions.find(({ category }) => category === "total_amount")!.answer,
      );
    }
  });

  it("refuses a category it does not know", () => {
    expect(() => paperQuery("mystery", "How much?")).toThrow(/unknown question category "mystery"/);
  });

  it("has a golden file that really is JSON of samples with float amounts", () => {
    const raw = JSON.parse(readFileSync(paperFile, "utf8"));
    expect(raw[0].metadata.total_amount).toBe(1001.6800000000001);
  });
});
