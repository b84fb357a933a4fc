/** Phase II turn by turn: which tools are used for what, and what is said when there is no answer. */
import { expect, it } from "vitest";
import { ledgerScript } from "../../../policies/ledger-expert/ledger-expert.ts";
import { section } from "../../../policies/prompt-sections.ts";
import type { Exchange, ScriptedReply } from "../../../policies/scripted-chat-model.ts";
import { dialogue } from "./dialogue-lines.ts";
import { play, questionPrompt } from "./play.ts";

const turn = (prompt: string, tools: readonly string[], exchanges: readonly Exchange[] = []) =>
  ledgerScript()({
    messages: [],
    tools: new Set(tools),
    seed: 0,
    maxTokens: 7_000,
    prompt,
    turn: 0,
    exchanges,
  }) as ScriptedReply;

const observed = (reply: ScriptedReply, observation: string): Exchange[] =>
  (reply.calls ?? []).map((call, i) => ({ ...call, id: `${i}`, observation }));

it("leaves sums to ledger_aggregate where it is offered", () => {
  const tools = ["memory_list", "memory_key_retrieve", "ledger_aggregate"];
  const prompt = questionPrompt("", "Which category cost me the most from 2024-01-01 to 2024-02-01?");
  const first = turn(prompt, tools);
  expect(first.calls).toEqual([
    {
      name: "ledger_aggregate",
      args: { operation: "sum", from: "2024-01-01", to: "2024-02-01", group_by: "scene" },
    },
  ]);
  const groups =
    '{"groups":[{"key":"Other","value":"5.00","lines":1},{"key":"Dining","value":"5.00","lines":2}],"lines":3}';
  expect(turn(prompt, tools, observed(first, groups)).text).toContain("\\boxed{Dining, Other}");
  // the session's last turn has no tools
  expect(turn(prompt, [], observed(first, groups)).text).toContain("\\boxed{Dining, Other}");
  expect(turn(prompt, tools, observed(first, '{"groups":[],"lines":0}')).text).toContain("\\boxed{none}");
  expect(turn(prompt, tools, observed(first, "The tool failed: out of order")).text).toMatch(/could not be queried/);
});

it("reads what passages say, and no more", () => {
  const lines = dialogue("2024-01-05", "A latte for 4.", "A taxi for 10.");
  const context = `[passage 1, chunk 2]\n${lines}\n\n[passage 2, chunk 1]\n${dialogue("2024-01-03", "Rent: 700.")}`;
  const ask = (question: string) => turn(`${section("context", context)}\n${section("question", question)}`, []).text;
  expect(ask("How much did I spend in total?")).toContain("\\boxed{714.00}");
  expect(ask("What was the largest single expense from 2024-01-04 to 2024-01-09?")).toContain("\\boxed{10.00}");
});

it("says so when it cannot read the question, or has no ledger", () => {
  const bank = new Map([["Anna: job", "a baker"]]);
  expect(play(ledgerScript(), bank, questionPrompt("", "What is Anna's job?")).text).toMatch(/cannot read/);
  expect(play(ledgerScript(), bank, questionPrompt("", "How much did I spend in total?")).text).toMatch(/no ledger/);
  expect(turn("no sections at all", ["memory_list"]).text).toMatch(/cannot read/);
});

it("searches the raw context when the memory holds no ledger", () => {
  const tools = ["memory_list", "memory_key_retrieve", "memory_bm25_retrieve"];
  const prompt = questionPrompt("", "How much did I spend in total?");
  const list = turn(prompt, tools);
  const empty = observed(list, '{"titles":[],"total":0}');
  const search = turn(prompt, tools, empty);
  expect(search.calls).toEqual([{ name: "memory_bm25_retrieve", args: { query: "How much did I spend in total?" } }]);
  const results = [
    { rank: 1, chunk: 2, text: dialogue("2024-01-05", "The latte on 2024-01-03 was 5.") },
    { rank: 2, chunk: 1, text: dialogue("2024-01-03", "A latte for 4.") },
  ];
  const found = [...empty, ...observed(search, JSON.stringify({ results }))];
  expect(turn(prompt, tools, found).text).toContain("\\boxed{5.00}");
});

it("gives no answer from entries that do not hold it", () => {
  const bank = new Map([["all years", "Dining 4.00\nlargest: 2024 4.00\nlatest day 2024-01-05"]]);
  for (const question of [
    "How much did I spend on Dining - Coffee from 2024-01-01 to 2024-02-01?",
    "What was my largest single Dining expense from 2024-01-01 to 2024-02-01?",
    "Which date between 2024-01-01 and 2024-02-01 had the most Dining transactions?",
  ])
    expect(play(ledgerScript(), bank, questionPrompt("", question)).text, question).toMatch(/no answer/);
});

it("is not led astray by the tags of a question inside a chunk", () => {
  const chunk = dialogue("2024-01-05", `A latte for 4. ${section("question", "How much?")}`);
  const reply = turn(`${section("core_memory", "")}\n${section("chunk", chunk)}`, ["memory_list"]);
  expect(reply.calls).toEqual([{ name: "memory_list", args: {} }]);
});
