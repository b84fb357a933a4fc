import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { amountsIn } from "../../../evals/benchmarks/ledger-qa/amount-forms.ts";
import { ledgerQaConfig } from "../../../evals/benchmarks/ledger-qa/config.ts";
import { generateContext } from "../../../evals/benchmarks/ledger-qa/context.ts";
import { ask } from "../../../evals/benchmarks/ledger-qa/forms/ask.ts";
import { catalog } from "../../../evals/benchmarks/ledger-qa/forms/catalog.ts";
import { allForms, fill, heldOut } from "../../../evals/benchmarks/ledger-qa/forms/form.ts";
import { fillers, tails } from "../../../evals/benchmarks/ledger-qa/forms/frame.ts";
import { heldOutItems, items } from "../../../evals/benchmarks/ledger-qa/items.ts";
import { labelOf, scenes, subscenes } from "../../../evals/benchmarks/ledger-qa/taxonomy.ts";
import { microVocabulary, wordsOf } from "../../../evals/benchmarks/ledger-qa/vocabulary.ts";
import { readingsOf } from "./form-reader.ts";

const context = (options: object, index = 0, horizon = 30) =>
  generateContext(horizon, index, ledgerQaConfig.parse(options));
const userLines = (options: object) =>
  context(options).sessions.flatMap(({ lines }) =>
    lines.flatMap(({ speaker, text }) => (speaker === "User" ? [text] : [])),
  );
const acts = ["spend", "correct", "edit", "refund", "chat"] as const;
const formsOfAct = (act: string) =>
  Object.values(catalog).filter((entry) => entry.act === act && entry.speaker === "User");

describe("taxonomy", () => {
  it("has eight scenes and fifty sub-scenes, each name once (App. C.1)", () => {
    expect(scenes).toHaveLength(8);
    expect(new Set(subscenes).size).toBe(50);
  });

  it("every phrase belongs to one sub-scene, starts with a determiner and holds no number", () => {
    const phrases = subscenes.flatMap((name) =>
      [...items[name].micro, ...items[name].full].map((phrase) => phrase.toLowerCase()),
    );
    expect(new Set(phrases).size).toBe(phrases.length);
    for (const phrase of phrases) {
      expect(phrase).toMatch(/^(an?|the|some|my) /);
      expect(amountsIn(phrase)).toEqual([]);
    }
  });
});

describe("surface forms", () => {
  it.each(acts)("at least ten per act, a part of them held out: %s", (act) => {
    const sets = formsOfAct(act).map(({ set }) => set);
    expect(sets.flatMap((set) => [...set.micro, ...set.microHeldOut]).length).toBeGreaterThanOrEqual(10);
    expect(sets.flatMap((set) => set.microHeldOut).length).toBeGreaterThanOrEqual(2);
    expect(sets.flatMap((set) => set.fullHeldOut).length).toBeGreaterThanOrEqual(2);
  });

  it.each(Object.entries(ask))("at least ten ways to ask %s, a part of them held out", (_, set) => {
    expect(set.micro.length + set.microHeldOut.length).toBeGreaterThanOrEqual(10);
    expect(heldOut(set).length).toBeGreaterThanOrEqual(3);
  });

  it("no form is in two places, and none holds a number of its own", () => {
    const forms = Object.values(catalog)
      .filter(({ speaker }) => speaker === "User")
      .flatMap(({ set }) => allForms(set));
    // a point query asks like a single-date question, with a label in the place of the scene
    expect(new Set(forms).size).toBe(forms.length);
    for (const form of forms) expect([form, amountsIn(form.replace(/\{\w+\}/g, ";"))]).toEqual([form, []]);
  });

  it("an unfilled slot never gets out", () => {
    expect(() => fill("I paid {amount} for {item}.", { amount: "3" })).toThrow(/no value for \{item\}/);
  });

  it.each(["micro", "full"] as const)(
    "training contexts never use held-out wording, test contexts do (%s)",
    (profile) => {
      const unseen = new Set(Object.values(catalog).flatMap(({ set }) => heldOut(set)));
      const used = (split: string) =>
        userLines({ profile, split }).flatMap((line) => readingsOf(line).map(({ form }) => form));
      expect(used("train").filter((form) => unseen.has(form))).toEqual([]);
      expect(used("train").length).toBeGreaterThan(60);
      expect(used("test").filter((form) => unseen.has(form)).length).toBeGreaterThan(10);
      const asked = (split: string) => context({ profile, split, perType: 30 }).questions.map(({ text }) => text);
      const skeletons = Object.values(ask)
        .flatMap(heldOut)
        .map((form) => form.split(/\{\w+\}/));
      const isHeldOut = (text: string) =>
        skeletons.some(
          (parts) => parts.every((part) => part === "" || text.includes(part)) && text.startsWith(parts[0]!),
        );
      expect(asked("train").filter(isHeldOut)).toEqual([]);
      expect(asked("test").filter(isHeldOut).length).toBeGreaterThan(10);
    },
  );

  it("training contexts never name held-out things, test contexts do", () => {
    const named = (split: string) => {
      const text = [0, 1].map((index) =>
        context({ split }, index)
          .sessions.flatMap(({ lines }) => lines.map((line) => line.text))
          .join("\n"),
      );
      return heldOutItems.filter((phrase) => text.join("\n").toLowerCase().includes(phrase));
    };
    expect(named("train")).toEqual([]);
    expect(named("test").length).toBeGreaterThan(10);
  });
});

describe("the micro profile", () => {
  it("has a closed vocabulary of 600 to 1,000 words, all of them known from training forms", () => {
    const words = microVocabulary("test");
    expect(words.length).toBeGreaterThanOrEqual(600);
    expect(words.length).toBeLessThanOrEqual(1000);
    expect(microVocabulary("train")).toEqual(words);
  });

  it("every word of a chunk or question is in the vocabulary", () => {
    const known = new Set(microVocabulary());
    for (let index = 0; index < 20; index++) {
      const { sessions, questions } = context({ profile: "micro", pointQueries: true }, index);
      const text = [...sessions.flatMap(({ lines }) => lines), ...questions].map((line) => line.text).join("\n");
      expect(wordsOf(text).filter((word) => !known.has(word))).toEqual([]);
    }
  });
});

describe("README.md", () => {
  const readme = readFileSync(new URL("../../../evals/benchmarks/ledger-qa/README.md", import.meta.url), "utf8");

  it("lists every form, marked as held out or full where it is", () => {
    for (const { set } of Object.values(catalog)) {
      for (const form of set.micro) expect(readme).toContain(`\n- \`${form}\`\n`);
      for (const form of set.microHeldOut) expect(readme).toContain(`\n- \`${form}\` ◇\n`);
      for (const form of set.full) expect(readme).toContain(`\n- \`${form}\` (f)\n`);
      for (const form of set.fullHeldOut) expect(readme).toContain(`\n- \`${form}\` (f) ◇\n`);
    }
    for (const noise of [...fillers, ...tails]) expect(readme).toContain(`\`${noise}\``);
  });

  it("lists every thing", () => {
    for (const name of subscenes) {
      const { micro, full } = items[name];
      expect(readme).toContain(`| ${labelOf(name)} | ${micro.join(", ")} | ${full.join(", ")} ◇ |`);
    }
  });
});
