import { afterEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";
import { closest } from "../../base/closest.ts";
import { flagsOf, nameList, numberList, parseFlags, readArguments } from "../../cli/flags.ts";

const schema = z.object({
  memory: z.string().min(1).describe("The memory's name"),
  seed: numberList.default([0]).describe("Seeds"),
  variant: nameList.default(["uma"]).describe("Variants"),
  maxTurns: z.coerce.number().int().min(1).default(32).describe("Policy calls per session"),
  format: z.enum(["native", "hermes"]).optional().describe("How tools are called"),
  html: z.boolean().default(true).describe("Write the report"),
  verbose: z.boolean().default(false).describe("Say more"),
});
const flags = flagsOf(schema);
const read = (...args: string[]) => readArguments(args, flags);
const parse = (...args: string[]) => parseFlags(schema, read(...args).given);

afterEach(() => vi.unstubAllEnvs());

describe("reading arguments", () => {
  test("flags stand before, between or behind positionals, with a blank or an equals sign", () => {
    for (const args of [
      ["--memory", "trip", "a.txt", "b.txt"],
      ["a.txt", "--memory=trip", "b.txt"],
      ["a.txt", "b.txt", "--memory", "trip"],
    ])
      expect(read(...args)).toMatchObject({ positionals: ["a.txt", "b.txt"], given: { memory: "trip" } });
  });

  test("a value may hold equals signs and blanks, be negative, or be a dash", () => {
    expect(read("--memory=a=b").given.memory).toBe("a=b");
    expect(read("--memory", "two words").given.memory).toBe("two words");
    expect(parse("--memory", "m", "--seed", "-3").seed).toEqual([-3]);
    expect(parse("--memory", "m", "--seed=-3,4").seed).toEqual([-3, 4]);
    expect(read("--memory", "-").given.memory).toBe("-");
  });

  test("a lone dash and negative numbers are positionals; what follows -- is too, whatever it looks like", () => {
    expect(read("-", "-5", "--", "--memory", "-x").positionals).toEqual(["-", "-5", "--memory", "-x"]);
  });

  test("switches are switched on, off and by value", () => {
    expect(read("--verbose", "--no-html").given).toEqual({ verbose: true, html: false });
    expect(read("--html=false", "--verbose=yes").given).toEqual({ verbose: true, html: false });
    expect(read("--verbose", "file").positionals).toEqual(["file"]);
    expect(() => read("--html=perhaps")).toThrow('--html: expected true or false, got "perhaps"');
    expect(() => read("--no-html=1")).toThrow("--no-html takes no value");
  });

  test("of a flag that is given twice a list takes both, anything else the last", () => {
    expect(parse("--memory", "m", "--variant", "uma", "--variant=rag,uma").variant).toEqual(["uma", "rag"]);
    expect(parse("--memory", "a", "--memory", "b").memory).toBe("b");
  });

  test("every flag has an environment twin; the command line wins, and an empty variable is none", () => {
    vi.stubEnv("UMAGRAPH_MAX_TURNS", "7");
    vi.stubEnv("UMAGRAPH_MEMORY", "from the environment");
    vi.stubEnv("UMAGRAPH_HTML", "off");
    vi.stubEnv("UMAGRAPH_VERBOSE", "");
    expect(parse()).toMatchObject({ maxTurns: 7, memory: "from the environment", html: false, verbose: false });
    expect(parse("--max-turns", "9")).toMatchObject({ maxTurns: 9 });
    expect([...read("--max-turns", "9").typed]).toEqual(["maxTurns"]);
    vi.stubEnv("UMAGRAPH_HTML", "maybe");
    expect(() => parse()).toThrow('UMAGRAPH_HTML: expected true or false, got "maybe"');
  });
});

describe("a wrong flag gets a sentence that helps", () => {
  const failure = (...args: string[]) => {
    try {
      parse("--memory=m", ...args);
    } catch (thrown) {
      const { code, message, fix } = thrown as { code: string; message: string; fix?: string };
      expect(code).toBe("config");
      return `${message} / ${fix ?? ""}`;
    }
    throw new Error(`expected ${args.join(" ")} to be refused`);
  };

  test.each([
    [["--memry", "x"], "there is no flag --memry / did you mean --memory?"],
    [["--max-turn=3"], "there is no flag --max-turn / did you mean --max-turns?"],
    [["--colour"], "there is no flag --colour / see --help for the flags of this command"],
    [["-m", "x"], "there is no flag -m / see --help for the flags of this command"],
    [["--no-memory"], "there is no flag --no-memory / did you mean --memory?"],
    [["--memory"], "--memory needs a value / The memory's name"],
    [["--memory="], "--memory needs a value / The memory's name"],
    [["--format", "--verbose"], "--format needs a value / How tools are called"],
    [["--format", "xml"], '--format: expected one of native, hermes, got "xml" / How tools are called'],
    [["--max-turns", "many"], '--max-turns: expected a number, got "many" / Policy calls per session'],
    [["--max-turns", "0"], '--max-turns: expected at least 1, got "0" / Policy calls per session'],
    [["--max-turns", "1.5"], '--max-turns: expected a whole number, got "1.5" / Policy calls per session'],
    [["--seed", "1,x"], '--seed: expected whole numbers separated by commas, got "1,x" / Seeds'],
    [["--seed", "1,"], '--seed: expected whole numbers separated by commas, got "1," / Seeds'],
    [["--variant", ","], '--variant: expected names separated by commas, got "," / Variants'],
  ])("%j", (args, sentence) => {
    expect(failure(...args)).toBe(sentence);
  });

  test("what is missing is named", () => {
    expect(() => parse()).toThrow("--memory is required");
  });
});

describe("did you mean", () => {
  const names = ["memorize", "memory", "eval", "report", "doctor"];
  test.each([
    ["evla", "eval"],
    ["memorise", "memorize"],
    ["docter", "doctor"],
    ["rep", "report"],
    ["mem", null],
    ["zzz", null],
    ["", null],
  ])("%s: %s", (typed, meant) => {
    expect(closest(typed, names)).toBe(meant);
  });
});
