import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { ledgerQa } from "../../../evals/benchmarks/ledger-qa/benchmark.ts";
import { ledgerQaConfig } from "../../../evals/benchmarks/ledger-qa/config.ts";
import { generateLedgerQa } from "../../../evals/benchmarks/ledger-qa/generate.ts";
import { type ContextLine, contextLine } from "../../../evals/run-folder.ts";
import { ledgerTruths, truthOf } from "../../../trainers/habits/ledger/truth.ts";

const folder = mkdtempSync(join(tmpdir(), "umagraph-truth-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const config = { profile: "micro", split: "train", horizon: [3, 12], contexts: 2, seed: 5, questions: 6 };

async function loaded(given: object): Promise<ContextLine[]> {
  const lines = [];
  for await (const context of ledgerQa.load(ledgerQaConfig.parse(given))) lines.push(contextLine(context));
  return lines;
}

it("says what each chunk tells of and changes, in cents, with every amount that was said", () => {
  const about = { date: "2024-02-23", scene: "Dining", subscene: "Coffee", item: "a latte" } as const;
  const said = (
    session: number,
    op: "record" | "correct" | "edit" | "refund",
    before: string | null,
    after: string | null,
  ) => ({
    ...{ session, op, before, after },
    lines: [0],
  });
  const { sessions } = truthOf({
    chunks: ["one", "two", "three"],
    questions: [],
    ledger: [
      {
        ...{ id: "t1.1", ...about, amount: null },
        history: [
          said(0, "record", null, "54.00"),
          said(0, "correct", "54.00", "4.50"),
          said(1, "edit", "4.50", "4.05"),
          said(2, "refund", "4.05", null),
        ],
      },
    ],
  });
  const known = { id: "t1.1", date: "2024-02-23", subscene: "Coffee", item: "a latte" };
  expect(sessions).toEqual([
    { recorded: [{ ...known, said: [5400, 450] }], changes: [] },
    { recorded: [], changes: [{ ...known, before: 450, after: 405 }] },
    { recorded: [], changes: [{ ...known, before: 405, after: null }] },
  ]);
});

it("is found again for every context of a run, also of a file", async () => {
  const contexts = await loaded(config);
  const truths = await ledgerTruths(config, contexts);
  expect([...truths.keys()]).toEqual(contexts.map(({ id }) => id));
  for (const { id, questions, chunks } of contexts) {
    expect(truths.get(id)!.sessions).toHaveLength(chunks);
    for (const { id: question, category } of questions)
      expect(truths.get(id)!.queries.get(question)!.type).toBe(category);
  }

  const file = join(folder, "ledger.jsonl");
  const lines = [];
  for await (const line of generateLedgerQa(ledgerQaConfig.parse({ ...config, questions: null })))
    lines.push(`${JSON.stringify(line)}\n`);
  writeFileSync(file, lines.join(""));
  const filed = await ledgerTruths({ file, questions: 6 }, await loaded({ file, questions: 6 }));
  const sessionsOf = (found: typeof truths) => [...found].map(([id, { sessions }]) => [id, sessions]);
  expect(sessionsOf(filed)).toEqual(sessionsOf(truths));
});

it("is not given for a context that is not the same any more", async () => {
  const [first, second] = await loaded(config);
  const truths = await ledgerTruths(config, [{ ...first!, hash: "another" }, second!]);
  expect([...truths.keys()]).toEqual([second!.id]);
  expect(await ledgerTruths({ ...config, seed: 6 }, [first!])).toEqual(new Map());
  expect(await ledgerTruths({ horizon: "many" }, [first!])).toEqual(new Map());
});
