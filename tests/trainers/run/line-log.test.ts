import { appendFileSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { lineLog } from "../../../trainers/run/line-log.ts";

const folder = mkdtempSync(join(tmpdir(), "umagraph-lines-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("replaces the line of an update that is written again, and drops all after it", () => {
  const path = join(folder, "again.jsonl");
  const log = lineLog<{ update: number; said: string }>(path);
  for (const update of [0, 1, 2, 3]) log.append({ update, said: "first" });
  log.append({ update: 2, said: "second" });
  expect(log.read().map(({ update, said }) => `${update} ${said}`)).toEqual(["0 first", "1 first", "2 second"]);
  log.cutBack(0);
  expect(log.read()).toHaveLength(1);
});

it("knows the lines of an earlier process, also behind a torn tail", () => {
  const path = join(folder, "torn.jsonl");
  lineLog<{ update: number }>(path).append({ update: 1 });
  appendFileSync(path, '{"update":2,"half');
  const log = lineLog<{ update: number; said?: string }>(path);
  log.append({ update: 2 });
  log.append({ update: 1, said: "again" });
  expect(readFileSync(path, "utf8")).toBe('{"update":1,"said":"again"}\n');
});
