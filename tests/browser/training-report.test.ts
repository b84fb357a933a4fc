/** The training report in a real browser, opened from disk as a reader opens it. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { writeTrainingReport } from "../../trainers/report/write-training-report.ts";
import { inventTraining, temporaryFolder } from "../trainers/report/invented-training.ts";
import { chromiumArguments, chromiumPath, withoutChromium } from "./chromium.ts";

const executablePath = chromiumPath();

describe.skipIf(executablePath === null)(
  `the training report in a browser${executablePath ? "" : ` (${withoutChromium})`}`,
  () => {
    const home = temporaryFolder();
    const file = join(home, "report.html");
    let browser: Browser;
    let page: Page;
    const problems: string[] = [];

    beforeAll(async () => {
      writeTrainingReport(await inventTraining(join(home, "run")), { html: file });
      browser = await chromium.launch({ executablePath: executablePath!, args: chromiumArguments });
    }, 240_000);
    afterAll(async () => {
      await browser?.close();
      rmSync(home, { recursive: true, force: true });
    });
    afterEach(() => page?.close());

    async function opened(options: Parameters<Browser["newPage"]>[0] = {}): Promise<Page> {
      problems.length = 0;
      page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
      page.on("console", (message) => problems.push(message.text()));
      page.on("pageerror", (error) => problems.push(String(error)));
      page.on("request", (request) => request.url() !== pathToFileURL(file).href && problems.push(request.url()));
      await page.goto(pathToFileURL(file).href);
      return page;
    }

    test("asks for nothing, breaks nothing, and needs no JavaScript", async () => {
      await opened({ javaScriptEnabled: false });
      expect(await page.title()).toBe("invented, seed 3 · umagraph training");
      await expect(page.locator("#curve-outcome svg").isVisible()).resolves.toBe(true);
      // the style was let in by the page's own content policy
      expect(await page.evaluate(`getComputedStyle(document.querySelector(".sides")).display`)).toBe("grid");
      expect(problems).toEqual([]);
    });

    test("charts have names and numbers that a screen reader finds", async () => {
      await opened();
      await expect(page.getByRole("img", { name: "Outcome on held-out contexts, × 100" }).count()).resolves.toBe(1);
      const numbers = page.locator("#curve-outcome details");
      expect(await numbers.locator("table").isVisible()).toBe(false);
      await numbers.locator("summary").click();
      expect(await numbers.locator("tbody tr").count()).toBe(3);
      const levels = await page
        .locator("h1, h2, h3, h4")
        .evaluateAll((all) => all.map(({ tagName }) => Number(tagName[1])));
      levels.forEach((level, i) => {
        expect(level - (levels[i - 1] ?? 0)).toBeLessThanOrEqual(1);
      });
      const ids = await page.locator("[id]").evaluateAll((all) => all.map(({ id }) => id));
      expect(new Set(ids).size).toBe(ids.length);
    });

    test.each(["light", "dark"] as const)("follows the system's %s scheme", async (colorScheme) => {
      await opened({ colorScheme });
      const background = (await page.evaluate("getComputedStyle(document.body).backgroundColor")) as string;
      const [red, green, blue] = background.match(/[\d.]+/g)!.map(Number);
      const lightness = (red! + green! + blue!) / 3;
      expect(lightness > 128).toBe(colorScheme === "light");
    });

    test.each([360, 1280])("at %i px nothing is wider than the page", async (width) => {
      await opened({ viewport: { width, height: 800 } });
      expect(await page.evaluate("document.scrollingElement.scrollWidth - innerWidth")).toBeLessThanOrEqual(0);
    });

    test("before and after stand side by side, with what only one of them remembers", async () => {
      await opened();
      const first = page.locator(".sample").first();
      const [before, after] = await first.locator(".side").all();
      expect(await before!.locator("h4").first().textContent()).toContain("Before training");
      expect(await after!.locator("h4").first().textContent()).toContain("After update 6");
      expect((await before!.boundingBox())!.x).toBeLessThan((await after!.boundingBox())!.x);
      expect(await first.locator("li.only").count()).toBeGreaterThan(0);
      await first.locator(":scope > details > summary").click();
      expect(await first.locator("pre.prose").first().textContent()).toMatch(/^\[\d{4}-\d{2}-\d{2}\] User said/);
    });
  },
);
