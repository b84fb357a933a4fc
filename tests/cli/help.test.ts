import { describe, expect, test } from "vitest";
import { json, runHere, temporaryFolder } from "./run-cli.ts";

const cwd = temporaryFolder();
const run = (args: readonly string[], env: Record<string, string> = {}) => runHere(args, { cwd, env });

const commands = [
  ...["demo", "memorize", "ask", "memory", "eval", "rollout", "report", "inspect", "rewards", "batch", "train"],
  ...["diff", "learner", "generate", "graph", "studio", "doctor"],
];

const listed = (flag: string) => new RegExp(`^ {2}--${flag}( <value>)? {2,}\\S`, "m");

describe("umagraph --help", () => {
  test("lists every command, and a command that it does not list is unknown", async () => {
    const { code, stdout, stderr } = await run(["--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const name of commands) expect(stdout).toMatch(new RegExp(`^  ${name} +\\S`, "m"));
    expect(stdout).toContain("Exit codes: 0 done");
    expect(await run(["evla"])).toMatchObject({
      code: 2,
      stdout: "",
      stderr: 'umagraph evla: there is no command "evla"\n  did you mean umagraph eval?\n',
    });
    expect((await run(["zzzzzz"])).stderr).toContain(`commands: ${commands.join(", ")}`);
  });

  test("without a command it shows the same and says by its exit code that nothing was done", async () => {
    expect(await run([])).toMatchObject({ code: 2, stdout: (await run(["--help"])).stdout });
    expect(await run(["--version"])).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  });

  test.each(commands)("%s --help: usage, flags with defaults, examples, exit codes; no line too wide", async (name) => {
    const { code, stdout, stderr } = await run([name, "--help"]);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(`Usage: umagraph ${name}`);
    expect(stdout).toMatch(/\nExamples:\n {2}# \S.*\n {2}.*umagraph /);
    expect(stdout).toContain("Exit codes: 0 done");
    expect(stdout).toMatch(/^ {2}--json +The result as one JSON document on stdout$/m);
    expect((await run([name, "-h"])).stdout).toBe(stdout);
    expect((await run(["help", name])).stdout).toBe(stdout);
    const flagLines = stdout.slice(stdout.indexOf("Flags:"), stdout.indexOf("Examples:")).split("\n");
    expect(flagLines.filter((line) => line.length > 120)).toEqual([]);
    // a flag without a description helps nobody
    expect(
      flagLines.filter((line, i) => /^ {2}--\S+( <value>)?$/.test(line) && !flagLines[i + 1]?.startsWith("   ")),
    ).toEqual([]);
  });

  test("of eval lists the flags of the benchmark that is named", async () => {
    const ledger = (await run(["eval", "ledger-qa", "--help"])).stdout;
    for (const flag of ["horizon", "contexts", "profile", "split", "concurrency", "retry-failed"])
      expect(ledger).toMatch(listed(flag));
    const locomo = (await run(["eval", "locomo", "--help"])).stdout;
    expect(locomo).toMatch(listed("data"));
    expect(locomo).toMatch(/^ {2}--no-temporal-hint {2,}Do not ask temporal questions/m);
    expect(locomo).not.toMatch(listed("horizon"));
    expect((await run(["eval", "--help"])).stdout).not.toMatch(listed("horizon"));
  });

  test("shows a switch that is on as what turns it off", async () => {
    expect((await run(["eval", "--help"])).stdout).toMatch(/^ {2}--no-html +Do not write report\.html/m);
  });
});

describe("mistakes", () => {
  test.each([
    [["eval"], "no benchmark given", "umagraph eval ledger-qa | locomo | batch.yaml"],
    [["eval", "ledgerqa"], 'there is no benchmark named "ledgerqa"', "did you mean ledger-qa?"],
    [["eval", "ledger-qa", "locomo"], 'expected one benchmark or batch file, got "ledger-qa" and "locomo"', ""],
    [["eval", "ledger-qa", "--horizn", "2"], "there is no flag --horizn", "did you mean --horizon?"],
    [["eval", "--horizn", "2", "ledger-qa"], "there is no flag --horizn", "did you mean --horizon?"],
    [["eval", "ledger-qa", "--horizon", "two"], 'ledger-qa: --horizon: expected a number or a list, got "two"', ""],
    [["eval", "ledger-qa", "--horizon", "0"], "--horizon: expected at least 1", ""],
    [["eval", "ledger-qa", "--profile", "tiny"], 'ledger-qa: --profile: expected one of micro, full, got "tiny"', ""],
    [["eval", "ledger-qa", "--variant", "umma"], 'there is no variant named "umma"', "variants: "],
    [["eval", "ledger-qa", "--variant", "rag:topK=x"], 'variant "rag:topK=x"', "options of rag: topK, fusion"],
    [["eval", "ledger-qa", "--policy", "gpt"], 'there is no policy named "gpt"', "choose one of: openai"],
    [["eval", "ledger-qa", "--policy", "openai"], "the openai policy needs the name of a model", "OPENAI_MODEL"],
    [["eval", "ledger-qa", "--toolset", "all"], '--toolset: expected one of paper, bank, ledger, got "all"', ""],
    [["eval", "ledger-qa", "--prompts", "nope"], 'prompts: expected "default"', ""],
    [["eval", "ledger-qa", "--concurrency", "0"], '--concurrency: expected at least 1, got "0"', ""],
    [["eval", "ledger-qa", "--retry-failed"], "--retry-failed goes with --resume", ""],
    [["eval", "locomo"], "locomo: --data is required", ""],
    [["eval", "ledger-qa", "--extra", "[1]"], '--extra: expected a JSON object, got "[1]"', ""],
    [["report"], "no run folder given", "umagraph report runs/<folder>"],
    [["memorize", "--memory", "m"], "nothing to read: expected a file, a folder or -", ""],
    [["memorize", "x.txt"], "--memory is required", ""],
    [["ask", "--memory", "m"], "no question given", ""],
    [["memory", "shwo", "x"], 'there is no action "shwo"', "did you mean umagraph memory show?"],
    [["memory", "show"], "show: expected a memory's name", ""],
    [["graph", "agnet"], 'there is no graph "agnet"', "graphs: "],
    [["generate"], "cannot generate nothing", ""],
  ])("%j says: %s", async (args, message, fix) => {
    const { code, stdout, stderr } = await run(args);
    expect(code).toBe(2);
    expect(stdout).toBe("");
    expect(stderr).toContain(`umagraph ${args[0]}: `);
    expect(stderr).toContain(message);
    expect(stderr).toContain(fix);
    expect(stderr).not.toContain("    at ");
  });

  test("with --json, stdout is the error as one document", async () => {
    const ran = await run(["eval", "ledgerqa", "--json"]);
    expect(json(ran)).toEqual({
      error: { code: "config", message: 'there is no benchmark named "ledgerqa"', fix: "did you mean ledger-qa?" },
    });
    expect(ran.stderr).toContain("did you mean ledger-qa?");
    expect(json(await run(["eval", "ledgerqa"], { UMAGRAPH_JSON: "1" }))).toEqual(json(ran));
    expect((await run(["eval", "ledgerqa", "--no-json"], { UMAGRAPH_JSON: "1" })).stdout).toBe("");
  });

  test("nothing was written by any of them", async () => {
    const { readdirSync } = await import("node:fs");
    expect(readdirSync(cwd)).toEqual([]);
  });
});
