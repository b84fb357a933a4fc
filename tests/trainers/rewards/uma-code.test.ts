/** The published reward, row by row: vectors made by running the authors' code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { rewardOptions } from "../../../trainers/rewards/reward-options.ts";
import { rewardTables } from "../../../trainers/rewards/reward-tables.ts";
import { publishedAnswer } from "../../../trainers/rewards/uma-code/published-answer.ts";
import { publishedOutcome } from "../../../trainers/rewards/uma-code/published-outcome.ts";
import { memorySession, qaSession, sampledContext, scoreOf, type Verdict } from "./sampled.ts";

interface Row {
  readonly data_source: string;
  readonly solution: string;
  readonly ground_truth: string | readonly string[] | { readonly text: string };
  readonly kwargs: {
    readonly is_final?: number;
    readonly tool_rewards?: readonly number[];
    readonly num_tools?: number;
  };
  readonly result: Readonly<Record<"score" | "outcome_reward" | "tool_reward" | "format_reward", number>> & {
    readonly EXC?: string;
  };
}

const file = join(import.meta.dirname, "../../golden/reward_extract_vectors.json");
const rows = (JSON.parse(readFileSync(file, "utf8")) as { reward: Row[] }).reward;

/** What the authors' loop hands over as arguments stands on our records. */
function sampled({ solution, ground_truth, kwargs }: Row) {
  const verdicts: Verdict[] = (kwargs.tool_rewards ?? []).map((reward) => (reward === 1 ? "valid" : "invalid"));
  const more = { messages: [{ role: "assistant" as const, text: "<tool_call>".repeat(kwargs.num_tools ?? 0) }] };
  const question = qaSession("0", { verdicts, more: { ...more, answer: solution === "" ? null : solution } });
  const gold = Array.isArray(ground_truth) ? ground_truth[(kwargs.is_final ?? 1) - 1] : ground_truth;
  const score = scoreOf(question, null, { gold: typeof gold === "string" ? gold : gold.text });
  return sampledContext([memorySession(0, { verdicts, more }), question], [score]);
}

describe("uma-code reproduces the published reward from records and scores", () => {
  it("there are 39 rows", () => expect(rows).toHaveLength(39));

  test.each(rows.map((row, n) => ({ n, row })))("row $n: $row.data_source $row.solution", ({ row }) => {
    const options = rewardOptions({ profile: "uma-code", dataSource: row.data_source });
    if (row.result.EXC) {
      expect(() => rewardTables(sampled(row), options)).toThrow(`no outcome for the data source "${row.data_source}"`);
      return;
    }
    const tables = rewardTables(sampled(row), options);
    const isMemory = row.kwargs.is_final === 0;
    const r_tool = (isMemory ? tables.r_tool_mem : tables.r_tool_qa)[0]![0]!;
    const r_outcome = isMemory ? 0 : tables.r_outcome[0]![0]!;
    const plain = rewardTables(sampled(row), { ...options, formatBonus: 0 }).r_outcome[0]![0]!;
    expect({
      score: isMemory ? tables.R_mem[0]![0]! - tables.r_bar[0]! : tables.R_qa[0]![0],
      outcome_reward: r_outcome,
      tool_reward: 0.5 * r_tool,
      format_reward: isMemory ? 0 : r_outcome - plain,
    }).toEqual({ ...row.result, format_reward: expect.closeTo(row.result.format_reward, 12) });
  });

  it("each of its differences can be had alone: a bonus for the box beside the benchmark's own metric", () => {
    const boxed = qaSession("0", { more: { answer: "so \\boxed{5}" } });
    const bare = qaSession("1", { more: { answer: "so 5" } });
    const context = sampledContext([boxed, bare], [scoreOf(boxed, 1), scoreOf(bare, 1)]);
    expect(rewardTables(context, rewardOptions({ outcome: "exact", formatBonus: 0.5 })).r_outcome).toEqual([[1.5, 1]]);
  });

  it("a question without a gold has no outcome", () => {
    const question = qaSession("0", { more: { answer: "\\boxed{5}" } });
    const options = rewardOptions({ profile: "uma-code", dataSource: "ledger-qa" });
    const context = sampledContext([question], [scoreOf(question, null, { gold: null })]);
    expect(rewardTables(context, options).r_outcome).toEqual([[null]]);
  });
});

describe("the published answer", () => {
  it.each([
    ["\\boxed{a} \\boxed{B}", "b"],
    ["\\boxed{a} \\boxed b$ c", "b"],
    ["\\boxed b \\boxed{a}", "b \\boxed{a}"],
    ["\\boxed{a", null],
    ["\\boxed", null],
    ["\\boxedin{a}", null],
    ["\\boxed{a} \\boxedin{b}", null],
    ["\\boxed{a{b}c}", "a{b}c"],
    ["", null],
  ])("%j → %j", (reply, answer) => expect(publishedAnswer(reply, 300)).toBe(answer));

  it("the window counts code points from the end, after blanks were cut; without one the whole reply is read", () => {
    const box = "\\boxed{1}";
    expect(publishedAnswer(`${box}${"😀".repeat(300 - box.length)}  `, 300)).toBe("1");
    expect(publishedAnswer(`${box}${"😀".repeat(301 - box.length)}`, 300)).toBeNull();
    expect(publishedAnswer(`${box}${"😀".repeat(301 - box.length)}`, null)).toBe("1");
  });
});

describe("the published outcome, where the vectors are silent", () => {
  it.each([
    ["memalpha_hotpotqa", "the barack obama", "Barack Obama", 1],
    ["memalpha_perltqa", "alice", "Alice;", 1],
    ["memalpha_icl_trec_coarse_6600shot_balance", "'3'", "3", 1],
    ["memalpha_icl_trec_coarse_6600shot_balance", "", "3", 0],
    ["hotpotqa", "90^\\circ", "90", 1],
    ["hotpotqa", "\\dfrac{.5}{2}", "\\frac{0.5}{2}", 1],
  ])("%s: %j against %j", (source, answer, gold, score) => expect(publishedOutcome(source, answer, gold)).toBe(score));

  it("names of objects' own members are no data sources", () => {
    expect(() => publishedOutcome("constructor", "a", "a")).toThrow(/no outcome for the data source/);
  });
});
