import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { summarise } from "../../../evals/reports/summary.ts";
import { writeReport } from "../../../evals/reports/write-report.ts";
import { temporaryFolder } from "./invented-run.ts";
import { inventUma } from "./two-variants.ts";

const folder = temporaryFolder();
const uma = inventUma(folder);

test("writes the forms that were asked for, and gives the summary", () => {
  const [html, markdown, json] = ["r.html", "r.md", "r.json"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const report = writeReport([uma], { html, markdown, json });
  expect(report.written).toEqual([json, markdown, html]);
  expect(report.sessions).toEqual({ embedded: 9, total: 9 });
  expect(report.summary).toEqual(summarise([uma]));
  expect(JSON.parse(readFileSync(json, "utf8"))).toEqual(JSON.parse(JSON.stringify(report.summary)));
  expect(readFileSync(markdown, "utf8")).toMatch(/^# umagraph report\n/);
  expect(readFileSync(html, "utf8")).toMatch(/^<!doctype html>\n/);
});

test("writes nothing that was not asked for", () => {
  expect(writeReport([uma])).toMatchObject({ written: [], sessions: null });
  expect(existsSync(join(uma, "report.html"))).toBe(false);
});

test("a place that cannot be written is an error with a way out", () => {
  const taken = join(folder, "taken.html");
  mkdirSync(taken);
  expect(() => writeReport([uma], { html: taken })).toThrow(`cannot write ${taken}`);
});

test("the same folders give the same bytes", () => {
  const [one, other] = ["1.html", "2.html"].map((name) => join(folder, name)) as [string, string];
  writeReport([uma], { html: one });
  writeReport([uma], { html: other });
  expect(readFileSync(one, "utf8")).toBe(readFileSync(other, "utf8"));
});
