/** `ledger-expert` on Ledger-QA: it reads every dialogue as the generator meant it, and answers every question. */
import { describe, expect, it } from "vitest";
import type { EvalContext } from "../../evals/benchmark.ts";
import { ledgerQa } from "../../evals/benchmarks/ledger-qa/benchmark.ts";
import { chunkOf } from "../../evals/benchmarks/ledger-qa/chunk.ts";
import { ledgerQaConfig } from "../../evals/benchmarks/ledger-qa/config.ts";
import { generateContext } from "../../evals/benchmarks/ledger-qa/context.ts";
import { ask, listNote } from "../../evals/benchmarks/ledger-qa/forms/ask.ts";
import { catalog } from "../../evals/benchmarks/ledger-qa/forms/catalog.ts";
import { allForms, fill } from "../../evals/benchmarks/ledger-qa/forms/form.ts";
import { items } from "../../evals/benchmarks/ledger-qa/items.ts";
import type { QuestionType } from "../../evals/benchmarks/ledger-qa/questions.ts";
import { taxonomy as generatorTaxonomy, labelOf } from "../../evals/benchmarks/ledger-qa/taxonomy.ts";
import { decimalExact } from "../../evals/metrics/decimal-exact.ts";
import { exactMatch } from "../../evals/metrics/exact-match.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import type { VariantEnv } from "../../graphs/variants/variant.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import { SessionLimits } from "../../nodes/session/limits.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { formatCents } from "../../policies/ledger-expert/amounts.ts";
import { applyChange } from "../../policies/ledger-expert/apply-change.ts";
import { ledgerExpert } from "../../policies/ledger-expert/ledger-expert.ts";
import { readQuery } from "../../policies/ledger-expert/read-query.ts";
import { readSessions, type Session } from "../../policies/ledger-expert/read-sessions.ts";
import type { Spending } from "../../policies/ledger-expert/spending.ts";
import { type Subscene, sceneOf, taxonomy } from "../../policies/ledger-expert/taxonomy.ts";
import { thingIn } from "../../policies/ledger-expert/things.ts";
import { createSource } from "../../retrieval/source.ts";
import { type ToolsetName, toolsets } from "../../tools/toolsets.ts";

const worlds = (["micro", "full"] as const).flatMap((profile) =>
  (["train", "test"] as const).map((split) => ({ profile, split })),
);

describe("reading", () => {
  const everyThing = Object.entries(items).flatMap(([subscene, { micro, full }]) =>
    [...micro, ...full].map((item) => ({ item, subscene: subscene as Subscene, label: labelOf(subscene as Subscene) })),
  );
  const formsOf = (name: string) => allForms(catalog[name]!.set);
  const read = (...lines: readonly string[]) =>
    readSessions(lines.map((line) => `[2024-03-05] ${line}"`).join("\n"))![0]!;
  const user = (form: string, slots: Readonly<Record<string, string>>) => `User said, "${fill(form, slots)}`;
  const amountsOf = ({ spendings }: Session) =>
    spendings.map(({ subscene, cents }) => `${subscene} ${formatCents(cents)}`);

  it.each(worlds)("gives the structured ledger of $profile dialogues, $split split, over 30 seeds", (world) => {
    for (let seed = 0; seed < 30; seed++) {
      const context = generateContext(12, 0, ledgerQaConfig.parse({ ...world, seed }));
      const days = new Map<string, Spending[]>();
      for (const session of context.sessions)
        for (const { date, spendings, changes } of readSessions(chunkOf(session))!) {
          days.set(date, [...(days.get(date) ?? []), ...spendings]);
          for (const change of changes) {
            const changed = applyChange(days.get(change.date) ?? [], change);
            expect(changed, `${context.id}: ${JSON.stringify(change)}`).not.toBeNull();
            days.set(change.date, changed!);
          }
        }
      const read = [...days.values()]
        .flat()
        .map(({ date, scene, subscene, cents }) => `${date} ${scene} ${subscene} ${formatCents(cents)}`);
      const told = context.ledger.flatMap(({ date, scene, subscene, amount }) =>
        amount === null ? [] : [`${date} ${scene} ${subscene} ${amount}`],
      );
      expect(read.sort(), context.id).toEqual(told.sort());
    }
  });

  it("knows a word for every thing that the generator can name", () => {
    expect(taxonomy).toEqual(generatorTaxonomy);
    for (const { item, subscene } of everyThing) expect(thingIn(`I paid for ${item}.`)?.subscene, item).toBe(subscene);
  });

  it("reads every form of spending with every thing", () => {
    const [other, third] = [everyThing[0]!, everyThing.at(-1)!];
    for (const { item, subscene, label } of everyThing) {
      const slots = {
        item,
        label,
        amount: "12.50",
        item2: other.item,
        amount2: "$3",
        item3: third.item,
        amount3: "1,299",
      };
      const first = `${subscene} 12.50`;
      const expected = {
        spendSingle: [first],
        spendLabel: [first],
        spendPair: [first, `${other.subscene} 3.00`],
        spendList: [first, `${other.subscene} 3.00`, `${third.subscene} 1299.00`],
      };
      for (const [name, entries] of Object.entries(expected))
        for (const form of formsOf(name)) expect(amountsOf(read(user(form, slots))), form).toEqual(entries);
      for (const opening of formsOf("splitOpening"))
        for (const amount of formsOf("splitAmount")) {
          const lines = [user(opening, slots), 'Assistant said, "And the amount?', user(amount, slots)];
          expect(amountsOf(read(...lines)), opening + amount).toEqual([first]);
        }
    }
  });

  it("reads every form of correction, edit and refund with every thing", () => {
    const date = "2024-03-01";
    const old = "12.50";
    for (const { item, subscene, label } of everyThing) {
      const slots = { item, label, date, old, amount: old, new: "21.50", back: "4.25" };
      const stated = user("{label}: {amount}.", slots);
      for (const name of ["correctNamed", "correctImmediate"])
        for (const form of formsOf(name))
          expect(amountsOf(read(stated, user(form, slots))), `${form} ${item}`).toEqual([`${subscene} 21.50`]);

      const known: Spending = { date, scene: sceneOf(subscene), subscene, cents: 1250, note: "" };
      for (const [name, after] of Object.entries({ edit: [2150], refundPart: [825], refundAll: [] }))
        for (const form of formsOf(name)) {
          const { spendings, changes } = read(user(form, slots));
          expect(spendings, form).toEqual([]);
          expect(
            applyChange([known], changes[0]!)?.map(({ cents }) => cents),
            `${form} ${item}`,
          ).toEqual(after);
        }
    }
  });

  it("reads every form of question", () => {
    const range = { from: "2024-01-05", to: "2024-03-01" };
    const oneDay = { from: "2024-01-05", to: "2024-01-05" };
    const sum = { asks: "sum", subscene: null };
    const expected = {
      time_range_scene_amount: { ...sum, scenes: ["Other"], range },
      time_range_multiple_scenes_amount: { ...sum, scenes: ["Medical", "Other", "Dining"], range },
      time_range_total_amount: { ...sum, scenes: [], range },
      max_scene: { asks: "top scene", scenes: [], range },
      max_frequency_date: { asks: "busiest date", scenes: ["Other"], range: null },
      max_single_amount: { asks: "largest", scenes: [], range },
      single_date_scene_amount: { ...sum, scenes: ["Other"], range: oneDay },
      total_amount: { ...sum, scenes: [], range: null },
      single_date_subscene_amount: { asks: "sum", subscene: "Water & Electricity", range: oneDay },
    } satisfies Record<QuestionType, object>;
    const slots = { ...range, date: range.from, scene: "Other", scenes: "Medical, Other and Dining" };
    for (const [type, query] of Object.entries(expected))
      for (const form of allForms(ask[type as QuestionType]))
        for (const note of ["", ` ${listNote}`]) {
          const question = fill(form, { ...slots, label: "Utilities - Water & Electricity" }) + note;
          expect(readQuery(question), question).toMatchObject(query);
        }
  });

  it("takes no form of chat for spending, whatever thing it names", () => {
    for (const [name, { speaker, act, set }] of Object.entries(catalog)) {
      if (act !== "chat" || speaker !== "User") continue;
      for (const form of allForms(set))
        for (const { item } of form.includes("{item}") ? everyThing : everyThing.slice(0, 1)) {
          const line = user(form, { item, scene: "Dining", amount: "12.50", count: "40", steps: "9000" });
          const { spendings, changes } = read(line);
          expect([...spendings, ...changes], `${name}: ${line}`).toEqual([]);
        }
    }
  });
});

interface Outcome {
  readonly wrong: readonly string[];
  readonly questions: number;
  readonly records: readonly SessionRecord[];
}

async function run(
  config: Record<string, unknown>,
  options: { variant?: string; toolset?: ToolsetName; limits?: Partial<SessionLimits> } = {},
): Promise<Outcome> {
  const variant = await loadVariant(options.variant ?? "uma");
  const wrong: string[] = [];
  const records: SessionRecord[] = [];
  let questions = 0;
  for await (const context of ledgerQa.load(ledgerQaConfig.parse({ contexts: 1, pointQueries: true, ...config }))) {
    const env: VariantEnv = {
      policy: ledgerExpert(),
      source: createSource(context.chunks),
      toolset: toolsets[options.toolset ?? "paper"],
      prompts: loadPrompts(),
      limits: SessionLimits.parse(options.limits ?? {}),
      run: "test",
      context: context.id,
      trajectory: 0,
      seed: 1,
      record: (record) => records.push(record),
    };
    const memory = await memorize(context, env, variant);
    for (const question of context.questions) {
      questions++;
      const answer = (await variant.answer(memory, question, env)) ?? "";
      const scores = [decimalExact, exactMatch].map((metric) => metric.score(answer, question));
      if (scores.some((score) => score !== 1))
        wrong.push(`${context.id} ${question.text} ${question.answer}: ${answer}`);
    }
  }
  return { wrong, questions, records };
}

async function memorize(context: EvalContext, env: VariantEnv, variant: Awaited<ReturnType<typeof loadVariant>>) {
  let memory = variant.begin();
  for (const k of context.chunks.keys()) memory = await variant.memorize(memory, k, env);
  return memory;
}

const notValid = (records: readonly SessionRecord[]) =>
  records.flatMap((record) =>
    record.calls.filter(({ verdict }) => verdict !== "valid").map(({ name }) => `${record.id} ${name}`),
  );

describe("answering through uma", () => {
  it.each(worlds)("is exact with valid calls only: $profile, $split, H = 2, 10 and 40", async (world) => {
    const { wrong, questions, records } = await run({ ...world, horizon: [2, 10, 40], seed: 7 });
    expect(wrong).toEqual([]);
    expect(questions).toBeGreaterThan(60);
    expect(notValid(records)).toEqual([]);
    expect(new Set(records.map(({ end }) => end))).toEqual(new Set(["text"]));
    // a few turns per session, and far from every budget
    expect(Math.max(...records.map(({ turns }) => turns))).toBeLessThanOrEqual(5);
    expect(Math.max(...records.map(({ tokens }) => tokens.interaction))).toBeLessThan(5_000);
  });

  it("stays within the budgets of one question however long the stream: H = 150", async () => {
    const { wrong, records } = await run({ profile: "micro", horizon: 150, seed: 3 });
    expect(wrong).toEqual([]);
    expect(notValid(records)).toEqual([]);
    const answering = records.filter(({ stage }) => stage === "qa");
    expect(Math.max(...answering.map(({ tokens }) => tokens.interaction))).toBeLessThan(4_000);
  });

  it("uses ledger_aggregate where the toolset has it, to the same answers", async () => {
    const { wrong, records } = await run({ profile: "full", horizon: 10, seed: 7 }, { toolset: "ledger" });
    expect(wrong).toEqual([]);
    expect(notValid(records)).toEqual([]);
    expect(records.filter(({ stage }) => stage === "qa").every(({ calls }) => calls.length === 1)).toBe(true);
  });

  it("ends every session by a text under tiny budgets, and gives no number from books it could not keep", async () => {
    for (const limits of [{ interactionTokens: 300 }, { maxTurns: 1 }, { maxTurns: 2 }, { maxObservation: 32 }]) {
      const { records } = await run({ profile: "full", horizon: 5, seed: 7 }, { limits });
      expect(records.every(({ error }) => error === null)).toBe(true);
      expect(notValid(records)).toEqual([]);
    }
    const { wrong, questions, records } = await run(
      { profile: "micro", horizon: 5, seed: 7 },
      { limits: { maxTurns: 2 } },
    );
    expect(wrong).toHaveLength(questions);
    expect(records.every(({ answer }) => answer === null || !answer.includes("boxed"))).toBe(true);
  });

  it("works with fewer calls per turn than it would like", async () => {
    const { wrong } = await run({ profile: "full", horizon: 5, seed: 7 }, { limits: { maxCalls: 3 } });
    expect(wrong).toEqual([]);
  });

  it("is a floor without a memory: passages that do not hold everything give low scores, not crashes", async () => {
    for (const variant of ["rag:topK=3", "uma:withoutPhaseOne"]) {
      const { wrong, questions, records } = await run({ profile: "full", horizon: 20, seed: 7 }, { variant });
      expect(wrong.length).toBeGreaterThan(0);
      expect(wrong.length).toBeLessThan(questions);
      expect(records.every(({ error }) => error === null)).toBe(true);
    }
  });
});
