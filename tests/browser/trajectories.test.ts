/** The session browser of a run with several trajectories, in a real browser. */
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { writeCreditLog } from "../../evals/credit-log.ts";
import { writeReport } from "../../evals/reports/write-report.ts";
import { creditOptions } from "../../trainers/credit/credit-options.ts";
import { readUpdate } from "../../trainers/credit/read-update.ts";
import { runCredit } from "../../trainers/credit/run-credit.ts";
import { temporaryFolder } from "../evals/reports/invented-run.ts";
import { writeSampledRun } from "../trainers/credit/golden-run.ts";
import { chromiumArguments, chromiumPath, withoutChromium } from "./chromium.ts";

const executablePath = chromiumPath();
/** The text as a reader sees it. */
const seen = async (part: Locator) => (await part.allInnerTexts()).join("\n");
const name = `sessions by trajectory${executablePath === null ? ` (${withoutChromium})` : ""}`;

describe.skipIf(executablePath === null)(name, () => {
  const folder = temporaryFolder();
  const html = join(folder, "report.html");
  let browser: Browser;

  beforeAll(async () => {
    const run = writeSampledRun(folder, "run");
    const update = await readUpdate(run);
    writeCreditLog(run, runCredit(update, creditOptions(update)).log);
    writeReport([run], { html });
    browser = await chromium.launch({ executablePath: executablePath!, args: chromiumArguments });
  });
  afterAll(() => browser?.close());

  test("the list has a head per trajectory, a filter, and the numbers of A.21.1; siblings are one click away", async () => {
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(error.message));
    await page.goto(`${pathToFileURL(html)}#/sessions`);
    const heads = page.locator(".trajectory-head");
    await heads.first().waitFor();
    expect(await seen(heads.first())).toMatch(
      /Trajectory 0\s+2 shown · means: score 50\.0 · R 1\.000 · A \+?0\.000 · c/,
    );
    expect(await seen(page.locator(".session-link").first())).toContain("R 1.500 · A +0.707");

    await page.locator("select[name=context]").selectOption("0");
    await page.locator("select[name=trajectory]").selectOption("1");
    expect(await heads.count()).toBe(1);
    expect(await seen(page.locator(".tally"))).toBe("2 of 2");
    await page.locator(".session-link").nth(1).click();
    await page.locator(".credit").waitFor();
    expect(await seen(page.locator(".credit"))).toMatch(/R\s+1\.250\s+A\s+\+1\.414\s+r_tool\s+0\.500 = 1\/2/);

    const siblings = page.locator(".siblings a");
    expect(await siblings.allInnerTexts()).toEqual([
      expect.stringContaining("A −0.707"),
      expect.stringContaining("A +1.414"),
      expect.stringContaining("A −0.707"),
    ]);
    await siblings.nth(2).click();
    await page.locator("code", { hasText: "c/t2/q1" }).waitFor();
    expect(await page.locator("select[name=trajectory]").inputValue()).toBe("");
    expect(errors).toEqual([]);
    await page.close();
  });
});
