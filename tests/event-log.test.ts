/** docs/event-log.md names every field of every file of a run, and no field that is not there. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { AdvantageLine, CreditFile, RewardLine } from "../evals/credit-log.ts";
import { contextLine, RunConfig, type ScoreLine } from "../evals/run-folder.ts";
import { scoreRecords } from "../evals/score.ts";
import { RECORD_VERSION, SessionRecord } from "../nodes/session/record.ts";
import { qaSession, question } from "./evals/reports/invented-run.ts";
import { schemaFields } from "./support/schema-fields.ts";

const page = readFileSync(join(resolve(import.meta.dirname, ".."), "docs", "event-log.md"), "utf8");

/** Fields named in the first column of the tables of one section, however deep its headings go. */
function documented(heading: string): string[] {
  const [, section = ""] = page.split(`\n${heading}`);
  const level = heading.match(/^#+/)![0].length;
  const end = section.search(new RegExp(`\n#{1,${level}} `));
  const own = end < 0 ? section : section.slice(0, end);
  return [...own.matchAll(/^\| `([^`]+)` \|/gm)].map(([, field = ""]) => field);
}

it.each([
  [`## records.jsonl: the session record, schema version ${RECORD_VERSION}`, SessionRecord],
  ["### config.json", RunConfig],
  ["### rewards.jsonl", RewardLine],
  ["### advantages.jsonl", AdvantageLine],
  ["### credit.json", CreditFile],
] as const)("%s", (heading, schema) => {
  const fields = schemaFields(schema);
  expect(fields.length).toBeGreaterThan(3);
  expect(documented(heading).sort()).toEqual([...fields].sort());
});

it("### contexts.jsonl and ### scores.jsonl, as they are written", () => {
  const context = contextLine({ id: "c", chunks: ["one"], facets: {}, questions: [question("1")] });
  expect(documented("### contexts.jsonl").sort()).toEqual(Object.keys(context).sort());
  const scores: ScoreLine[] = scoreRecords({ metrics: [] }, [context], [qaSession("c", "1")]);
  expect(documented("### scores.jsonl").sort()).toEqual(Object.keys(scores[0]!).sort());
});

it("finds the fields of a schema at any depth", () => {
  const fields = schemaFields(SessionRecord);
  expect(fields).toContain("calls[].writes[].lineage.previous.session");
  expect(fields).toContain("trace.turns[].calls[].start");
  expect(fields.length).toBeGreaterThan(100);
});
