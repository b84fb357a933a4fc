import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { outcomeOf } from "../../cli/eval/outcome.ts";
import type { ResultRow } from "../../cli/eval/results.ts";
import { openRunFolder, readRecords } from "../../evals/run-folder.ts";
import { json, type Ran, runHere, temporaryFolder } from "./run-cli.ts";

const parent = temporaryFolder();
const freshFolder = () => mkdtempSync(join(parent, "cwd-"));

interface EvalJson {
  readonly complete: boolean;
  readonly folders: string[];
  readonly html: string | null;
  readonly results: ResultRow[];
  readonly summary: { readonly runs: readonly unknown[] };
}

const small = ["--horizon", "2", "--contexts", "1", "--profile", "micro", "--questions", "4"];

describe("umagraph eval ledger-qa with the expert", () => {
  const cwd = freshFolder();
  let ran: Ran;
  beforeAll(async () => {
    const args = [
      "--horizon",
      "2,10",
      "--contexts",
      "2",
      "--seed",
      "7",
      "--variant",
      "uma",
      "--policy",
      "ledger-expert",
    ];
    ran = await runHere(["eval", "ledger-qa", ...args, "--json"], { cwd });
  });

  test("is right everywhere, by horizon too, with every tool call valid", () => {
    expect(ran.code).toBe(0);
    const { complete, results } = json<EvalJson>(ran);
    expect(complete).toBe(true);
    expect(results).toHaveLength(1);
    const [row] = results as [ResultRow & Record<"byHorizon", ResultRow["byCategory"]>];
    expect(row).toMatchObject({
      variant: "uma",
      policy: "ledger-expert",
      scripted: true,
      seed: 7,
      headline: "decimal_exact",
      metrics: { em: { mean: 1, low: 1, high: 1, scored: row.n } },
      toolValidity: 1,
      failed: 0,
    });
    expect(Object.keys(row.byHorizon)).toEqual(["2", "10"]);
    for (const slice of Object.values(row.byHorizon))
      expect(slice.metrics.em).toMatchObject({ mean: 1, scored: slice.n });
    expect(Object.values(row.byHorizon).reduce((sum, { n }) => sum + n, 0)).toBe(row.n);
    expect(Object.values(row.byCategory).reduce((sum, { n }) => sum + n, 0)).toBe(row.n);
    expect(row.toolCalls).toBeGreaterThan(100);
  });

  test("says on stderr that there is no model, and shows progress there", () => {
    expect(ran.stderr).toContain("policy ledger-expert: no model, a scripted policy");
    expect(ran.stderr).toMatch(/\d+\/\d+ \(100 %\) · .*\/s · /);
  });

  test("leaves a run folder with a report, under a name that nothing had", () => {
    const { folders, html } = json<EvalJson>(ran);
    expect(folders[0]).toMatch(/^runs\/\d{4}-\d\d-\d\d-ledger-qa$/);
    expect(html).toBe(`${folders[0]}/report.html`);
    expect(readdirSync(join(cwd, folders[0]!)).sort()).toEqual([
      "config.json",
      "contexts.jsonl",
      "records.jsonl",
      "report.html",
      "scores.jsonl",
      "texts.jsonl",
    ]);
  });

  test("umagraph report reads the folder again, to the same numbers, in every form", async () => {
    const { folders, summary } = json<EvalJson>(ran);
    const again = await runHere(["report", folders[0]!, "--json"], { cwd });
    expect(json<EvalJson>(again).summary).toEqual(summary);
    const table = await runHere(["report", folders[0]!, "--markdown", "results.md"], { cwd });
    expect(table.stdout).toContain("decimal_exact by category");
    expect(readFileSync(join(cwd, "results.md"), "utf8")).toContain("| uma · ledger-expert (no model) |");
  });
});

describe("what eval prints", () => {
  test("by default the main table, validity, failures and where to look; with --verbose all tables", async () => {
    const cwd = freshFolder();
    const brief = await runHere(["eval", "ledger-qa", ...small, "--policy", "ledger-expert"], { cwd });
    expect(brief.stdout).toContain('! No model was run: "ledger-expert"');
    expect(brief.stdout).toContain("ledger-qa: all questions");
    expect(brief.stdout).toMatch(/tool validity 100\.0 \(of [\d,]+ calls that count\), 0 of 6 sessions failed/);
    expect(brief.stdout).toMatch(
      /run folder: runs\/\S+\nreport: {5}runs\/\S+\/report\.html\nall tables: umagraph report runs\/\S+\n$/,
    );
    expect(brief.stdout).not.toContain("by category");
    expect(brief.stdout.split("\n").length).toBeLessThan(30);
    const verbose = await runHere(["eval", "ledger-qa", ...small, "--policy", "ledger-expert", "--verbose"], { cwd });
    expect(verbose.stdout).toContain("by category");
    expect(verbose.stdout).not.toContain("all tables:");
  });

  test("--quiet is silent on stderr, --no-html writes no report, an environment twin does what its flag does", async () => {
    const cwd = freshFolder();
    const env = {
      UMAGRAPH_POLICY: "ledger-expert",
      UMAGRAPH_HORIZON: "2",
      UMAGRAPH_CONTEXTS: "1",
      UMAGRAPH_OUT: "here",
    };
    const ran = await runHere(
      ["eval", "ledger-qa", "--questions", "2", "--profile=micro", "--quiet", "--json", "--no-html"],
      {
        cwd,
        env,
      },
    );
    expect([ran.code, ran.stderr]).toEqual([0, ""]);
    expect(json<EvalJson>(ran)).toMatchObject({
      folders: ["here"],
      html: null,
      results: [{ policy: "ledger-expert", n: 2 }],
    });
    expect(existsSync(join(cwd, "here", "report.html"))).toBe(false);
  });

  test("without a policy and without a key it takes the scripted one and says so", async () => {
    const ran = await runHere(["eval", "ledger-qa", ...small, "--variant", "rag", "--json"], { cwd: freshFolder() });
    expect(json<EvalJson>(ran).results[0]).toMatchObject({ variant: "rag", policy: "extractive", scripted: true });
    // a floor, and an honest one: sums are not found in the text
    expect(json<EvalJson>(ran).results[0]!.metrics.em!.mean).toBeLessThan(0.5);
  });
});

describe("folders", () => {
  test("a new run never lands in an old folder: the default takes the next name, --out is refused", async () => {
    const cwd = freshFolder();
    const args = ["eval", "ledger-qa", ...small, "--policy", "ledger-expert", "--json", "--no-html"];
    const names = [];
    for (let i = 0; i < 2; i++) names.push(json<EvalJson>(await runHere(args, { cwd })).folders[0]);
    expect(names[1]).toBe(`${names[0]}-2`);
    const before = readFileSync(join(cwd, names[0]!, "config.json"), "utf8");
    const refused = await runHere([...args, "--out", names[0]!], { cwd });
    expect(refused).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("already holds a run\n  continue it with --resume"),
    });
    expect(readFileSync(join(cwd, names[0]!, "config.json"), "utf8")).toBe(before);
  });

  test("of a batch are checked before the first is made", async () => {
    const cwd = freshFolder();
    const batch = ["eval", "ledger-qa", ...small, "--policy", "ledger-expert", "--out", "out", "--json"];
    await runHere([...batch, "--seed", "2,3"], { cwd });
    const refused = await runHere([...batch, "--seed", "1,2"], { cwd });
    expect(refused.code).toBe(2);
    expect(readdirSync(join(cwd, "out")).sort()).toEqual([
      "report.html",
      "uma--ledger-expert--s2",
      "uma--ledger-expert--s3",
    ]);
  });

  test("a data file that is not there is said before a folder is made", async () => {
    const cwd = freshFolder();
    for (const args of [
      ["locomo", "--data", "nope.json"],
      ["--data", "nope.json", "locomo"],
    ])
      expect(await runHere(["eval", ...args], { cwd })).toMatchObject({
        code: 3,
        stderr: expect.stringMatching(/nope\.json.*\n.*LoCoMo|LoCoMo.*nope\.json|locomo10\.json/i),
      });
    expect(readdirSync(cwd)).toEqual([]);
  });

  test.each([
    [["--resume", "nowhere"], 3, "there is no folder nowhere"],
    [["--resume", "."], 3, "holds no run"],
  ])("eval %j", async (args, code, message) => {
    const ran = await runHere(["eval", ...args], { cwd: freshFolder() });
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(message) });
  });

  test("a resumed run takes no flags that would change it", async () => {
    const cwd = freshFolder();
    const { folders } = json<EvalJson>(
      await runHere(["eval", "ledger-qa", ...small, "--policy", "ledger-expert", "--json", "--no-html"], { cwd }),
    );
    for (const flag of [["--variant", "rag"], ["--seed", "8"], ["--budget", "9000"], ["ledger-qa"]]) {
      const ran = await runHere(["eval", "--resume", folders[0]!, ...flag], { cwd });
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(`leave out ${flag[0]}`) });
    }
    const again = await runHere(["eval", "--resume", folders[0]!, "--concurrency", "2", "--json"], { cwd });
    expect(json<EvalJson>(again)).toMatchObject({ complete: true, results: [{ sessions: 6 }] });
    expect(readRecords(join(cwd, folders[0]!))).toHaveLength(6);
  });
});

describe("a batch file", () => {
  const yaml = [
    "name: night",
    "benchmark: ledger-qa",
    "config: { horizon: 2, contexts: 1, profile: micro, questions: 3 }",
    "variants: [uma, 'rag:topK=5']",
    "policies:",
    "  - ledger-expert",
    "  - policy: extractive",
    "seeds: [1, 2]",
    "maxTurns: 12",
    "concurrency: 2",
  ].join("\n");
  const write = (text: string) => {
    const cwd = freshFolder();
    writeFileSync(join(cwd, "batch.yaml"), text);
    return cwd;
  };

  test("makes a run of every variant, policy and seed, each with its own folder and row", async () => {
    const cwd = write(yaml);
    const ran = await runHere(["eval", "batch.yaml", "--out", "out", "--json", "--quiet"], { cwd });
    const { results, folders } = json<EvalJson>(ran);
    expect(results.map(({ variant, policy, seed }) => `${variant} ${policy} ${seed}`)).toEqual(
      ["uma", "rag:topK=5"].flatMap((v) =>
        ["ledger-expert", "extractive"].flatMap((p) => [1, 2].map((s) => `${v} ${p} ${s}`)),
      ),
    );
    expect(folders[2]).toBe("out/uma--extractive--s1");
    const { config } = openRunFolder(join(cwd, folders[0]!));
    expect(config).toMatchObject({
      name: "night-uma-s1",
      seed: 1,
      concurrency: 2,
      limits: { maxTurns: 12 },
      benchmark: { config: { horizon: [2], seed: 1, questions: 3 } },
    });
  });

  test("gives way to flags that are typed, not to those of the environment", async () => {
    const cwd = write(yaml);
    const args = [
      "eval",
      "batch.yaml",
      "--policy",
      "ledger-expert",
      "--seed=5",
      "--questions",
      "2",
      "--json",
      "--quiet",
      "--no-html",
    ];
    const ran = await runHere(args, { cwd, env: { UMAGRAPH_VARIANT: "concat", UMAGRAPH_MAX_TURNS: "3" } });
    const { results, folders } = json<EvalJson>(ran);
    expect(results.map(({ variant, policy, seed, n }) => [variant, policy, seed, n])).toEqual([
      ["uma", "ledger-expert", 5, 2],
      ["rag:topK=5", "ledger-expert", 5, 2],
    ]);
    expect(folders[0]).toMatch(/^runs\/\d{4}-\d\d-\d\d-night\//);
    expect(openRunFolder(join(cwd, folders[0]!)).config.limits.maxTurns).toBe(12);
  });

  test.each([
    ["benchmark: ledger-qa\nvariants: 3", 2, "batch.yaml: variants: expected a text or a list, got 3"],
    ["benchmark: ledger-qa\nseeds: [one]", 2, "batch.yaml: seeds: expected"],
    [
      "benchmark: ledger-qa\nvariant: uma",
      2,
      'batch.yaml: expected no other fields, got "variant"\n  fields: name, benchmark',
    ],
    ["variants: uma", 2, "batch.yaml: benchmark: expected a text, got nothing"],
    ["benchmark: ledgerqa", 2, 'there is no benchmark named "ledgerqa"\n  did you mean ledger-qa?'],
    [
      "benchmark: ledger-qa\nconfig: { horizon: many }",
      2,
      'ledger-qa: --horizon: expected a number or a list, got "many"',
    ],
    ["benchmark: ledger-qa\nconfig: { horizonn: 2 }", 2, 'ledger-qa: expected no other fields, got "horizonn"'],
    ["benchmark: [unclosed", 3, "batch.yaml: "],
    ["", 2, "batch.yaml: expected an object, got null"],
  ])("%j is refused with file, field, expected and got", async (text, code, message) => {
    const cwd = write(text);
    const ran = await runHere(["eval", "batch.yaml"], { cwd });
    expect(ran).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) });
    expect(readdirSync(cwd)).toEqual(["batch.yaml"]);
  });

  test("that is not there is named", async () => {
    const ran = await runHere(["eval", "nope.yaml"], { cwd: freshFolder() });
    expect(ran).toMatchObject({ code: 3, stderr: expect.stringContaining("there is no file nope.yaml") });
  });
});

describe("how an evaluation ended", () => {
  const result = (more: object) => ({
    ...{ done: 10, resumed: 0, failed: 0, unserved: 0, lastFailure: null, complete: true, stopped: null },
    ...more,
  });
  const of = (...results: ReturnType<typeof result>[]) => outcomeOf({ planned: 2, place: "runs/x" }, results);

  test("complete is 0, also with some failures, whose number is said", () => {
    expect(of(result({}), result({}))).toEqual({ complete: true, stopped: null, code: 0, note: null });
    expect(of(result({}), result({ failed: 3, lastFailure: "503" }))).toMatchObject({
      code: 0,
      note: "3 of 20 sessions failed; the last one: 503\nrun them again with: umagraph eval --resume runs/x --retry-failed",
    });
  });

  test("every session failed is 6 and says why, or 1 when it was not the provider", () => {
    const all = result({ failed: 10, lastFailure: "nothing answers" });
    expect(of(all, all)).toMatchObject({
      code: 6,
      note: expect.stringMatching(/^every session failed: nothing answers\n.*--retry-failed$/),
    });
    expect(of(result({ failed: 10 }), result({ failed: 10 }))).toMatchObject({ code: 1 });
  });

  test("stopped by the user is 130, by the provider 6; both say how to go on", () => {
    expect(of(result({ complete: false, stopped: "asked" }))).toMatchObject({
      complete: false,
      stopped: "asked",
      code: 130,
      note: "stopped before the end; go on with: umagraph eval --resume runs/x",
    });
    expect(of(result({ complete: false, stopped: "provider", failed: 4, lastFailure: "ECONNREFUSED" }))).toMatchObject({
      stopped: "provider",
      code: 6,
      note: expect.stringContaining(
        "ECONNREFUSED\nwhen it does again, go on with: umagraph eval --resume runs/x --retry-failed",
      ),
    });
    expect(of(result({}))).toMatchObject({ complete: false, code: 130 });
  });
});
