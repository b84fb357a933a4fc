/** The HTML report in a real browser, opened from disk as a reader opens it. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { type Browser, chromium, type Locator, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { renderHtml } from "../../evals/reports/html.ts";
import { readRuns } from "../../evals/reports/read-run.ts";
import { summariseRuns } from "../../evals/reports/summary.ts";
import { writeReport } from "../../evals/reports/write-report.ts";
import { readRecords } from "../../evals/run-folder.ts";
import {
  addCall,
  inventRun,
  memorySession,
  qaSession,
  question,
  score,
  temporaryFolder,
  toolCall,
  updateCall,
} from "../evals/reports/invented-run.ts";
import { runWords } from "../evals/run-words.ts";
import { chromiumArguments, chromiumPath, withoutChromium } from "./chromium.ts";

const executablePath = chromiumPath();
const hostile = `<img src=x onerror="window.attacked=1"></script><script>window.attacked=2</script>`;
const folder = temporaryFolder();

const chunks = ["Anna: I paid 12.50 for lunch.\nBen: noted.", "Anna: it was 13.75, sorry.", "Anna: bye."];
const lunch = { title: "Lunch", content: "Anna paid 12.50" };
const dinner = { title: "ארוחת ערב 👩‍👩‍👧", content: "Anna paid 12.50 on Monday" };
const context = {
  id: "anna/1",
  chunks,
  facets: { horizon: 3 },
  questions: [
    question("q1", {
      text: "How much was lunch?",
      answer: "13.75",
      position: 2,
      evidence: [{ id: "D2:1", chunk: 1, start: 0, end: 26 }],
    }),
    question("q2", { text: `What about ${hostile}?`, answer: hostile, position: 2, category: "other" }),
    question("q3", { text: "כמה עלתה ארוחת הערב?", answer: null, position: 2 }),
    question("q4", { text: "Who paid?", answer: "Anna", position: 2 }),
  ],
};
const records = [
  memorySession("anna/1", 0, {
    chunk: chunks[0]!,
    calls: [addCall("e1", lunch.title, lunch.content, 0), addCall("e2", dinner.title, dinner.content, 0)],
    core: { before: "", after: "Anna tells what she spends.", committed: true, kept: null },
  }),
  memorySession("anna/1", 1, {
    chunk: chunks[1]!,
    calls: [
      updateCall("e1", lunch, { title: "Lunch", content: "Anna paid 13.75" }, 1),
      toolCall("memory_find", { verdict: "invalid", args: null, observation: 'There is no tool named "memory_find".' }),
    ],
    core: {
      before: "Anna tells what she spends.",
      after: "Anna tells what she spends.",
      committed: false,
      kept: "the reply held tool-call markup",
    },
  }),
  memorySession("anna/1", 2, {
    chunk: chunks[2]!,
    calls: [addCall("e3", "Never", "undone", 2)],
    end: "error",
    error: { boundary: "policy", code: "provider", message: `503 ${hostile}` },
    core: {
      before: "Anna tells what she spends.",
      after: "Anna tells what she spends.",
      committed: false,
      kept: "the session ended by error",
    },
  }),
  qaSession("anna/1", "q1", {
    text: "How much was lunch?",
    position: 2,
    turns: 2,
    calls: [
      toolCall("memory_bm25_retrieve", {
        args: { query: "lunch price" },
        observation: JSON.stringify({ results: [{ rank: 1, chunk: 2, score: 3.25, text: chunks[1] }] }),
        reads: [{ kind: "sub-chunk", id: "c1.0", rank: 1, score: 3.25, span: { chunk: 1, start: 0, end: 26 } }],
      }),
    ],
    answer: "It was \\boxed{12.50}",
  }),
  qaSession("anna/1", "q2", { position: 2, answer: hostile, text: hostile }),
  qaSession("anna/1", "q3", { position: 2, answer: null, end: "turns", lastTurn: "turns" }),
  qaSession("anna/1", "q4", { position: 2, answer: "Anna" }),
];
const scores = [
  score("anna/1", "q1", { em: 0, f1: 0.5 }, { prediction: "12.50", gold: "13.75" }),
  score("anna/1", "q2", { em: 1, f1: 1 }, { category: "other", prediction: hostile, gold: hostile }),
  score("anna/1", "q3", { em: null, f1: null }, { prediction: null, gold: null }),
  score("anna/1", "q4", { em: 1, f1: 1 }),
];
const rag = qaSession("anna/1", "q1", {
  variant: "rag",
  position: 2,
  given: [{ kind: "sub-chunk", id: "c1.0", rank: 1, score: 0.5, span: { chunk: 1, start: 0, end: 26 } }],
});

/** The text as a reader sees it, hidden parts left out. */
const seen = async (part: Locator) => (await part.allInnerTexts()).join("\n");

let browser: Browser;
let page: Page;
let url: string;
let problems: string[];

const name = executablePath === null ? `the report in Chromium (${withoutChromium})` : "the report in Chromium";

describe.skipIf(executablePath === null)(name, () => {
  beforeAll(async () => {
    const scripted = { spec: {}, name: "ledger-expert", scripted: true };
    const html = join(folder, "report.html");
    writeReport(
      [
        inventRun(folder, "uma-7", { config: { policy: scripted }, contexts: [context], records, scores }),
        inventRun(folder, "uma-8", { config: { policy: scripted, seed: 8 }, contexts: [context], records, scores }),
        inventRun(folder, "rag", {
          config: { policy: scripted, variant: { spec: "rag", name: "rag", paper: "RAG (k = 20)" } },
          contexts: [context],
          records: [rag],
          scores: [score("anna/1", "q1", { em: 1, f1: 1 })],
        }),
      ],
      { html },
    );
    url = pathToFileURL(html).href;
    browser = await chromium.launch({ executablePath: executablePath!, args: chromiumArguments });
    page = await browser.newPage();
    page.on("console", (message) => {
      if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
    });
    page.on("pageerror", (error) => problems.push(error.message));
    page.on("dialog", (dialog) => problems.push(`a dialog: ${dialog.message()}`));
    page.on("request", (request) => {
      if (!/^(?:file|about):/.test(request.url())) problems.push(`a request to ${request.url()}`);
    });
  });
  afterAll(() => browser?.close());

  beforeEach(() => {
    problems = [];
  });
  afterEach(async () => {
    expect(await page.evaluate("window.attacked")).toBeUndefined();
    expect(problems).toEqual([]);
    // the next one starts with a page of its own
    await page.goto("about:blank");
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.emulateMedia({ media: null, colorScheme: null });
  });

  const detail = () => page.locator(".detail");
  const openSession = async (id: string, run = 0) => {
    await page.goto(`${url}#/session/${run}/${encodeURIComponent(id)}`);
    await detail().locator("article").waitFor();
  };
  const listed = () => page.locator(".session-link");

  test("opens on the scores, and says that no model was run", async () => {
    await page.goto(url);
    expect(await page.locator(".banner").textContent()).toContain("No model: scripted policy.");
    expect(await page.locator("#table-ledger-qa-metrics tbody tr").allInnerTexts()).toEqual([
      expect.stringMatching(/^uma · ledger-expert \(no model\) · seeds 7, 8\s+66\.7\s+6\/8/),
      expect.stringMatching(/^seed 7\s+66\.7\s+3\/4/),
      expect.stringMatching(/^seed 8\s+66\.7\s+3\/4/),
      expect.stringMatching(/^rag · ledger-expert \(no model\)\s+100\.0\s+1\/4/),
    ]);
    expect(await page.locator("#sessions").isVisible()).toBe(false);
  });

  test("leads from the overview to a question: question, answer, gold, scores, call, observation, evidence", async () => {
    await page.goto(url);
    await page.getByRole("link", { name: /^Sessions/ }).click();
    await listed().filter({ hasText: "How much was lunch?" }).click();
    await detail().getByRole("heading", { name: "How much was lunch?" }).waitFor();
    expect(page.url()).toContain("#/session/0/anna%2F1%2Ft0%2Fqq1");

    expect(await detail().locator(".scripted").textContent()).toContain("No model");
    expect(await seen(detail().locator(".answer"))).toMatch(
      /^✗ Answer\s+It was \\boxed\{12\.50\}\s+What was scored\s+12\.50$/,
    );
    expect(await seen(detail().locator(".gold"))).toMatch(/13\.75/);
    expect((await seen(detail().locator(".scores"))).replace(/\s+/g, " ")).toBe("em 0.0 f1 50.0");

    expect(await detail().locator(".turn").count()).toBe(2);
    const call = detail().locator(".turn").first().locator(".call");
    expect(await call.locator(".tool").textContent()).toBe("memory_bm25_retrieve");
    expect(await call.locator(".verdict").textContent()).toBe("valid");
    expect(await seen(call.locator(".args"))).toMatch(/query\s+lunch price/);
    expect(await seen(call.locator(".read"))).toMatch(
      /#1\s*score 3\.2500\s*chunk 2\s*c1\.0\s*evidence D2:1\s+Anna: it was 13\.75, sorry\./,
    );
    await call.getByText("as the policy saw it").click();
    expect(await call.locator("pre.observation").textContent()).toContain('{"results":[{"rank":1');

    await detail().getByText("Evidence: 1 passage, 1 of them read").click();
    await expect.poll(() => detail().locator(".panel .passage").first().textContent()).toBe(chunks[1]);
  });

  test("a chunk's session shows its text, the bank's difference, and that the core was kept and why", async () => {
    await openSession("anna/1/t0/m1");
    expect(await detail().getByRole("heading", { name: "Chunk 2 of 3" }).isVisible()).toBe(true);
    expect(await detail().locator(".chunk").textContent()).toBe(chunks[1]);
    expect(await seen(detail().locator(".core"))).toMatch(
      /Kept as it was: the reply held tool-call markup\.\s+Anna tells what she spends\./,
    );
    const change = detail().locator(".entry.update");
    expect(await change.locator("del").allTextContents()).toEqual(["12.50"]);
    expect(await change.locator("ins").allTextContents()).toEqual(["13.75"]);
    expect(await seen(detail().locator(".call.invalid"))).toContain("Its arguments could not be read.");
  });

  test("a committed core is shown against the one before", async () => {
    await openSession("anna/1/t0/m0");
    expect(await detail().locator(".core ins").allTextContents()).toEqual(["Anna tells what she spends."]);
    expect(await detail().locator(".entry.add .entry-title").allTextContents()).toEqual(["Lunch", dinner.title]);
  });

  test("a failed session says where it failed and that its writes were undone", async () => {
    await openSession("anna/1/t0/m2");
    expect(await detail().locator(".failure").textContent()).toBe(`Failed in the policy (provider)503 ${hostile}`);
    expect(await detail().getByText("The session failed: this write was undone.").isVisible()).toBe(true);
    await detail().getByRole("link", { name: "Memory after this chunk" }).click();
    await detail().getByRole("heading", { name: "2 entries after chunk 3" }).waitFor();
  });

  test("the memory as it was after any chunk: core, bank, what changed", async () => {
    await page.goto(`${url}#/memory/0/anna%2F1/0/0`);
    await detail().getByRole("heading", { name: "2 entries after chunk 1" }).waitFor();
    expect(await seen(detail().locator(".bank .entry").first())).toMatch(
      /Lunch\s*e1\s*from chunk 1\s*Anna paid 12\.50/,
    );
    await detail().getByRole("button", { name: "next chunk" }).click();
    await detail().getByRole("heading", { name: "2 entries after chunk 2" }).waitFor();
    expect(await seen(detail().locator(".bank .entry.changed"))).toMatch(
      /Lunch\s*e1\s*from chunk 1 · last written by chunk 2, version 2\s*Anna paid 13\.75/,
    );
    expect(await detail().locator(".panel del").allTextContents()).toEqual(["12.50"]);
    await detail().getByRole("link", { name: "its session" }).click();
    await detail().getByRole("heading", { name: "Chunk 2 of 3" }).waitFor();
  });

  test("hostile text is text: in the list, the question, the answer, the gold and the error", async () => {
    await openSession("anna/1/t0/qq2");
    expect(await detail().locator("h2").textContent()).toBe(`What about ${hostile}?`);
    expect(await detail().locator(".answer .prose").first().textContent()).toBe(hostile);
    expect(await detail().locator(".gold .prose").textContent()).toBe(hostile);
    await detail()
      .getByText(/^Prompt and messages/)
      .click();
    expect(await detail().locator(".messages").textContent()).toContain(hostile);
    expect(await page.locator("img").count()).toBe(0);
  });

  test("no answer, no gold and no score are said, not shown as empty or zero; right-to-left text runs its way", async () => {
    await openSession("anna/1/t0/qq3");
    expect(await seen(detail().locator(".answer"))).toMatch(/– Answer\s+No answer: the session ended by turns\./);
    expect(await seen(detail().locator(".gold"))).toContain("The data set has none.");
    expect((await seen(detail().locator(".scores"))).replace(/\s+/g, " ")).toBe("em – f1 –");
    expect(await page.evaluate(`getComputedStyle(document.querySelector(".detail h2")).direction`)).toBe("rtl");
  });

  test("a right answer stands like a wrong one: at the left, and not by colour alone", async () => {
    await openSession("anna/1/t0/qq4");
    expect(await seen(detail().locator(".answer.right"))).toMatch(/^✓ Answer\s+Anna/);
    expect(await page.evaluate(`getComputedStyle(document.querySelector(".answer.right")).textAlign`)).toBe("start");
  });

  test("passages that a variant gave are shown with texts of the context", async () => {
    await openSession("anna/1/t0/qq1", 2);
    await detail().getByText("Given with the question: 1 passage").click();
    await expect.poll(() => detail().locator(".read .passage").last().textContent()).toBe(chunks[1]);
    expect(await detail().locator(".read .badge.evidence").last().textContent()).toBe("evidence D2:1");
  });

  test("filters narrow the list: wrong answers, categories, problems, words; and the other stage, and the other run", async () => {
    await page.goto(`${url}#/sessions`);
    await listed().first().waitFor();
    expect(await listed().count()).toBe(4);
    await page.locator("select[name=score]").selectOption("wrong");
    expect(await listed().allInnerTexts()).toEqual([expect.stringContaining("How much was lunch?")]);
    await page.locator("select[name=score]").selectOption("all");
    await page.locator("select[name=category]").selectOption("other");
    expect(await listed().count()).toBe(1);
    await page.locator("select[name=category]").selectOption("");
    await page.locator("input[name=problems]").check();
    expect(await listed().allInnerTexts()).toEqual([expect.stringContaining("ended by turns")]);
    await page.getByRole("button", { name: /^chunks 3/ }).click();
    expect(await listed().allInnerTexts()).toEqual([
      expect.stringMatching(/chunk 2 of 3\s+\+0 ~1 −0 · core kept, 1 bad call/),
      expect.stringMatching(/chunk 3 of 3\s+failed · ended by error, core kept/),
    ]);
    await page.locator("input[name=problems]").uncheck();
    await page.getByRole("button", { name: /^questions 4/ }).click();
    await page.locator("input[name=search]").fill("13.75");
    expect(await listed().allInnerTexts()).toEqual([expect.stringContaining("How much was lunch?")]);
    await page.locator("input[name=search]").fill("");
    await page.locator("select[name=run]").selectOption("2");
    expect(await page.locator(".tally").textContent()).toBe("1 of 1");
    await page.getByRole("button", { name: /^chunks 0/ }).click();
    expect(await page.locator(".tally").textContent()).toContain("no memory sessions");
  });

  test("the keyboard goes to the next and the previous session and to the search", async () => {
    await openSession("anna/1/t0/qq1");
    await page.keyboard.press("j");
    await detail()
      .getByRole("heading", { name: /^What about/ })
      .waitFor();
    await page.keyboard.press("k");
    await detail().getByRole("heading", { name: "How much was lunch?" }).waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("Who paid");
    expect(await listed().count()).toBe(1);
    // typing j in the search is typing
    await page.keyboard.type("j");
    expect(await detail().getByRole("heading", { name: "How much was lunch?" }).isVisible()).toBe(true);
  });

  test("a link to a session that the file does not have says so", async () => {
    await openSession("nowhere/t0/q1");
    expect(await seen(detail())).toContain("This file does not carry the session that the link names.");
  });

  test("of a run that was really made, every call stands in its turn, and the bank is the one that was there", async () => {
    const run = join(folder, "words");
    await runWords(run, { config: { contexts: 1 } });
    const made = join(folder, "words.html");
    writeReport([run], { html: made });
    const records = readRecords(run);
    expect(records.flatMap(({ calls }) => calls).length).toBeGreaterThan(8);
    for (const record of records) {
      await page.goto(`${pathToFileURL(made).href}#/session/0/${encodeURIComponent(record.id)}`);
      await detail().locator(".where code", { hasText: record.id }).waitFor();
      expect(await detail().locator(".turn").count()).toBe(record.turns);
      for (let turn = 0; turn < record.turns; turn++) {
        const own = record.calls.filter((call) => call.turn === turn).map(({ name }) => name);
        expect(await detail().locator(".turn").nth(turn).locator(".tool").allTextContents()).toEqual(own);
      }
    }
    for (const k of [0, 3]) {
      await page.goto(`${pathToFileURL(made).href}#/memory/0/c0/0/${k}`);
      await detail()
        .getByRole("heading", { name: new RegExp(`after chunk ${k + 1}$`) })
        .waitFor();
      expect(await detail().locator(".bank .entry").count()).toBe(k + 1);
      const core = records.find(({ id }) => id === `c0/t0/m${k}`)!.core!.after;
      expect(await detail().locator(".core .prose").textContent()).toBe(core);
    }
  });

  test("thousands of sessions: only the visible rows exist, and any of them opens", async () => {
    const [log] = readRuns([join(folder, "uma-7")]);
    const many = Array.from({ length: 3_000 }, (_, i) => qaSession("anna/1", `n${i}`, { answer: `answer ${i}` }));
    const large = [
      {
        ...log!,
        contexts: [{ ...log!.contexts[0]!, questions: many.map(({ question: id }) => question(id!)) }],
        records: many,
        scores: [],
      },
    ];
    const path = join(folder, "large.html");
    writeFileSync(path, renderHtml(summariseRuns(large), large, { limit: { sessions: 2_500 } }).html);
    await page.goto(`${pathToFileURL(path).href}#/session/0/${encodeURIComponent("anna/1/t0/qn2000")}`);
    await detail().getByRole("heading", { name: "question n2000" }).waitFor();
    expect(await page.locator(".left-out").textContent()).toContain(
      "This file carries 2,500 of 3,000 sessions; 500 were left out",
    );
    expect(await listed().count()).toBeLessThan(60);
    expect(await seen(page.locator(".session-link[aria-current]"))).toContain("question n2000");
    await page.locator(".virtual").evaluate((list) => list.scrollTo(0, list.scrollHeight));
    await listed().filter({ hasText: "question n2499" }).click();
    await expect.poll(() => detail().locator(".answer .prose").textContent()).toBe("answer 2499");
  });

  test.each(["light", "dark"] as const)("texts stand out from what is behind them, %s", async (colorScheme) => {
    await page.emulateMedia({ colorScheme });
    await page.goto(url);
    const ratios = (await page.evaluate(contrasts)) as Record<string, number>;
    expect(Object.keys(ratios).length).toBeGreaterThan(10);
    for (const [pair, ratio] of Object.entries(ratios)) expect(ratio, pair).toBeGreaterThanOrEqual(4.5);
  });

  test("the theme button chooses between system, light and dark", async () => {
    await page.emulateMedia({ colorScheme: "light" });
    await page.goto(url);
    const background = () => page.evaluate("getComputedStyle(document.body).backgroundColor");
    const light = await background();
    for (const name of ["theme: light", "theme: dark"]) {
      await page.locator("#theme").click();
      expect(await page.locator("#theme").textContent()).toBe(name);
    }
    expect(await background()).not.toBe(light);
  });

  test("on a narrow screen nothing is wider than it, and on paper everything of a session is there", async () => {
    await page.setViewportSize({ width: 390, height: 800 });
    const overflow = () => page.evaluate("document.scrollingElement.scrollWidth - innerWidth");
    await page.goto(url);
    expect(await overflow()).toBeLessThanOrEqual(0);
    await openSession("anna/1/t0/qq2");
    expect(await overflow()).toBeLessThanOrEqual(0);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator(".sidebar").isVisible()).toBe(false);
    expect(await detail().locator(".gold").isVisible()).toBe(true);
  });

  test("every control has a name, every heading level is used in order", async () => {
    await openSession("anna/1/t0/qq1");
    const nameless = (await page.evaluate(`[...document.querySelectorAll("button, a, select, input, summary")]
      .filter((control) => !(control.textContent.trim() || control.ariaLabel || control.labels?.length))
      .map((control) => control.outerHTML)`)) as string[];
    expect(nameless).toEqual([]);
    await page.goto(url);
    const levels = (await page.evaluate(
      `[...document.querySelectorAll("header :is(h1), #overview :is(h1, h2, h3, h4)")].map((heading) => Number(heading.tagName[1]))`,
    )) as number[];
    expect(levels[0]).toBe(1);
    expect(levels.filter((level, i) => i > 0 && level > levels[i - 1]! + 1)).toEqual([]);
  });
});

/** Runs in the page: WCAG contrast ratios of the style's text and background colours. */
const contrasts = `(() => {
  const probe = document.body.appendChild(document.createElement("span"));
  const context = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const luminance = (name) => {
    probe.style.color = "var(--" + name + ")";
    context.fillStyle = getComputedStyle(probe).color;
    context.fillRect(0, 0, 1, 1);
    const [r, g, b] = [...context.getImageData(0, 0, 1, 1).data]
      .map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ratio = (text, behind) => {
    const [one, other] = [luminance(text), luminance(behind)];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  };
  const pairs = [
    ...["bg", "panel", "sunk", "accent-soft"].flatMap((behind) => ["ink", "soft", "accent"].map((text) => [text, behind])),
    ...["good", "bad", "warn"].map((text) => [text, text + "-soft"]),
    ["bad", "panel"],
    ["bad", "accent-soft"],
    ["warn", "bg"],
  ];
  return Object.fromEntries(pairs.map(([text, behind]) => [text + " on " + behind, ratio(text, behind)]));
})()`;
