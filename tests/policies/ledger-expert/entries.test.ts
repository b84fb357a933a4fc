/** The style `entries`: one entry per expense under a title that can be computed, and the bad habits that can be laid over it. */
import { describe, expect, it } from "vitest";
import { ledgerQa } from "../../../evals/benchmarks/ledger-qa/benchmark.ts";
import { ledgerQaConfig } from "../../../evals/benchmarks/ledger-qa/config.ts";
import { decimalExact } from "../../../evals/metrics/decimal-exact.ts";
import { loadPrompts } from "../../../nodes/prompts/prompts.ts";
import { createPolicy } from "../../../policies/index.ts";
import { formerAmount } from "../../../policies/ledger-expert/former-amount.ts";
import { entriesCore } from "../../../policies/ledger-expert/keep-entries.ts";
import { ledgerExpert, ledgerScript } from "../../../policies/ledger-expert/ledger-expert.ts";
import { badHabits, type Habits, withHabits } from "../../../policies/ledger-expert/with-habits.ts";
import type { PolicySpec } from "../../../policies/policy.ts";
import { sampleRollouts } from "../../../rollouts/sample-rollouts.ts";
import { toolsets } from "../../../tools/toolsets.ts";
import { maintenancePrompt, play, questionPrompt } from "./play.ts";

const chunk = (date: string, ...lines: readonly string[]) =>
  lines
    .map((line) => `[${date}] ${line.startsWith("> ") ? "Assistant" : "User"} said, "${line.replace(/^> /, "")}"`)
    .join("\n");
const keep = (bank: Map<string, string>, date: string, ...lines: readonly string[]) =>
  play(ledgerScript("entries"), bank, maintenancePrompt(entriesCore, chunk(date, ...lines)));

describe("an entry per expense", () => {
  it("is titled by date and sub-scene, and holds the line that ledger_aggregate reads", () => {
    const bank = new Map<string, string>();
    const { text, turns } = keep(bank, "2024-02-23", "I paid $4.5 for a latte and 75 dollars for the internet bill.");
    expect([...bank]).toEqual([
      ["2024-02-23 Coffee", "2024-02-23 | Dining | Coffee | 4.50"],
      ["2024-02-23 Internet", "2024-02-23 | Utilities | Internet | 75.00"],
    ]);
    expect({ text, turns }).toEqual({ text: entriesCore, turns: 2 });
  });

  it("is written as corrected in the same session, in one call", () => {
    const bank = new Map<string, string>();
    const { calls } = keep(bank, "2024-02-23", "I paid 54 for a taxi.", "Sorry, it was 45, not 54.");
    expect(calls).toEqual(["memory_add"]);
    expect(bank.get("2024-02-23 Taxi")).toBe("2024-02-23 | Transportation | Taxi | 45.00");
  });

  it("is edited or deleted in later sessions by one call, without a look", () => {
    const bank = new Map<string, string>();
    keep(bank, "2024-02-23", "I paid 54 for a taxi.", "I paid 12 for a movie ticket.");
    const edit = keep(bank, "2024-03-01", "Please change the taxi on 2024-02-23 from 54 to 45.");
    expect(edit.calls).toEqual(["memory_update"]);
    const refund = keep(bank, "2024-03-02", "I got a full refund for the movie ticket from 2024-02-23.");
    expect(refund.calls).toEqual(["memory_delete"]);
    expect([...bank]).toEqual([["2024-02-23 Taxi", "2024-02-23 | Transportation | Taxi | 45.00"]]);
  });

  it("keeps what came back of it behind the amount, again and again", () => {
    const bank = new Map<string, string>();
    keep(bank, "2024-02-23", "I paid 54 for a jacket.");
    const refund = keep(bank, "2024-03-01", "They gave me 4.50 back for the jacket on 2024-02-23.");
    expect(refund.calls).toEqual(["memory_key_retrieve", "memory_update"]);
    keep(bank, "2024-03-02", "The shop gave back 10 of the 49.50 for the jacket on 2024-02-23.");
    expect(bank.get("2024-02-23 Clothing")).toBe("2024-02-23 | Shopping | Clothing | 54.00-4.50-10.00");
  });

  it("is titled by its amount too when the day has two of the kind; a change then finds it by the amount that stood", () => {
    const bank = new Map<string, string>();
    keep(bank, "2024-02-23", "I paid 4 for a latte.", "I paid 6.10 for an espresso.");
    expect([...bank.keys()]).toEqual(["2024-02-23 Coffee 4.00", "2024-02-23 Coffee 6.10"]);
    const edit = keep(bank, "2024-03-01", "The espresso on 2024-02-23 was 1.60, not 6.10.");
    expect(edit.calls).toEqual(["memory_update", "memory_update"]);
    expect(edit.misses).toHaveLength(1);
    const refund = keep(bank, "2024-03-02", "All of the 4 for the latte on 2024-02-23 came back.");
    expect(refund.calls).toEqual(["memory_delete", "memory_delete"]);
    expect([...bank.values()]).toEqual(["2024-02-23 | Dining | Coffee | 1.60"]);
  });

  it("waits for the next turn when a turn takes no more calls", () => {
    const bank = new Map<string, string>();
    const lines = ["a taxi", "a latte", "a movie ticket", "the rent"].map(
      (thing, i) => `I paid ${i + 10} for ${thing}.`,
    );
    const prompt = maintenancePrompt("", chunk("2024-02-23", ...lines));
    play(ledgerScript("entries"), bank, prompt, { maxCalls: 3 });
    expect(bank.size).toBe(4);
  });

  it("ends when no tool is offered any more, and when there is nothing to write", () => {
    const prompt = maintenancePrompt("", chunk("2024-02-23", "I paid 12 for a taxi."));
    expect(play(ledgerScript("entries"), new Map(), prompt, { maxTurns: 1 }).text).toBe(entriesCore);
    expect(keep(new Map(), "2024-02-23", "My budget is 300.")).toMatchObject({ text: entriesCore, calls: [] });
    expect(play(ledgerScript("entries"), new Map(), questionPrompt("", "Who won?")).text).toBe("\\boxed{none}");
  });
});

describe("the amount that stood before", () => {
  it.each([
    ["~ on @ was #, not #.", 2],
    ["please change ~ on @ from # to #.", 1],
    ["i said # for ~ on @, but it was #.", 1],
    ["~ on @ was # instead of #.", 2],
    ["all of the # for ~ on @ came back.", 1],
  ])("%j names it", (shape, expected) => {
    const amounts = [1, 2].slice(0, shape.split("#").length - 1);
    expect(formerAmount(shape, amounts)).toBe(expected);
  });

  it.each(["~ on @ was #.", "# and then # for ~ on @", "not # and not #"])("%j does not say", (shape) => {
    expect(formerAmount(shape, [1, 2].slice(0, shape.split("#").length - 1))).toBeUndefined();
  });
});

async function played(spec: PolicySpec, config: object) {
  const contexts = [];
  for await (const context of ledgerQa.load(ledgerQaConfig.parse(config))) contexts.push(context);
  const questions = new Map(
    contexts.flatMap(({ id, questions }) => questions.map((question) => [`${id} ${question.id}`, question])),
  );
  const scores: number[] = [];
  const verdicts: Record<string, number> = {};
  const policy = await createPolicy(spec);
  const options = { G: 1, policy, toolset: toolsets.ledger, prompts: loadPrompts("micro"), seed: 1 };
  for await (const { stage, context, question, answer, calls, core } of sampleRollouts(contexts, options)) {
    for (const { name, verdict } of calls) verdicts[`${name} ${verdict}`] = (verdicts[`${name} ${verdict}`] ?? 0) + 1;
    if (stage === "qa") scores.push(decimalExact.score(answer ?? "", questions.get(`${context} ${question}`)!)!);
    else expect(core!.after).toBe(entriesCore);
  }
  return { score: scores.reduce((sum, score) => sum + score, 0) / scores.length, questions: scores.length, verdicts };
}

describe("on generated dialogues, through the real sessions", () => {
  it.each([
    { profile: "micro", split: "train", horizon: [2, 5], contexts: 2 },
    { profile: "micro", split: "test", horizon: [20], contexts: 1 },
    { profile: "full", split: "test", horizon: [3, 10], contexts: 1 },
  ])("answers everything right: $profile, $split, H $horizon", async (config) => {
    const { score, questions, verdicts } = await played({ policy: "ledger-expert", style: "entries" }, config);
    expect(score).toBe(1);
    expect(questions).toBeGreaterThan(20);
    expect(Object.keys(verdicts).filter((verdict) => !/valid|miss/.test(verdict) || /invalid/.test(verdict))).toEqual(
      [],
    );
  });

  it("with bad habits many answers are wrong and some calls illegal, and still edits are made", async () => {
    const { score, verdicts } = await played(
      { policy: "ledger-expert", habits: true },
      { profile: "micro", split: "train", horizon: [6], contexts: 4 },
    );
    expect(score).toBeGreaterThan(0.2);
    expect(score).toBeLessThan(0.8);
    expect(verdicts["memory_add refused"]).toBeGreaterThan(0);
    expect((verdicts["memory_update valid"] ?? 0) + (verdicts["memory_delete valid"] ?? 0)).toBeGreaterThan(0);
  });
});

describe("bad habits", () => {
  const never = Object.fromEntries(Object.keys(badHabits).map((habit) => [habit, 0])) as unknown as Habits;
  const only = (habit: keyof Habits) => withHabits(ledgerScript("entries"), { ...never, [habit]: 1 });
  const told = maintenancePrompt(
    "",
    chunk("2024-02-23", "I paid 54 for a taxi.", "Sorry, it was 45, not 54.", "A latte cost 4."),
  );

  it("leave the expert as it is at a rate of 0", () => {
    const [with_, without] = [new Map<string, string>(), new Map<string, string>()];
    play(withHabits(ledgerScript("entries"), never), with_, told);
    play(ledgerScript("entries"), without, told);
    expect([...with_]).toEqual([...without]);
  });

  it("drop an expense, and do not make up for it in a later turn", () => {
    const bank = new Map<string, string>();
    expect(play(only("dropExpense"), bank, told).calls).toEqual(["memory_add"]);
    expect(bank.size).toBe(1);
  });

  it("keep what was said first", () => {
    const bank = new Map<string, string>();
    play(only("ignoreCorrection"), bank, told);
    expect(bank.get("2024-02-23 Taxi")).toBe("2024-02-23 | Transportation | Taxi | 54.00");
  });

  it("pass edits over", () => {
    const bank = new Map([["2024-02-23 Taxi", "2024-02-23 | Transportation | Taxi | 45.00"]]);
    const later = maintenancePrompt("", chunk("2024-03-01", "The taxi on 2024-02-23 was 46.", "A latte cost 4."));
    expect(play(only("skipEdit"), bank, later).calls).toEqual(["memory_add"]);
  });

  it("ask without dates, for one category of several, for another operation, or not at all", () => {
    const question = questionPrompt(
      "",
      "How much did I spend on Dining and Medical together between 2024-01-01 and 2024-02-01?",
    );
    const asked = (habit: keyof Habits) =>
      only(habit)({
        messages: [],
        tools: new Set(["ledger_aggregate"]),
        seed: 0,
        maxTokens: 99,
        prompt: question,
        turn: 0,
        exchanges: [],
      });
    expect(asked("noRange").calls![0]!.args).toEqual({ operation: "sum", scenes: ["Dining", "Medical"] });
    expect(asked("firstCategory").calls![0]!.args.scenes).toEqual(["Dining"]);
    expect(asked("wrongOperation").calls![0]!.args.operation).toBe("max");
    expect(asked("noLook").text).toBe("\\boxed{0.00}");
    expect(asked("illegalCall").calls![0]!.name).toBe("memory_add");
  });

  it("are those of one style", () => {
    expect(() => ledgerExpert({ habits: true, style: "pages" })).toThrow("in the style entries only");
  });
});
