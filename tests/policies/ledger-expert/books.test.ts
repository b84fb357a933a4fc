/** The bank as it is kept: every total right after every chunk, whatever is said in whatever order. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { answerFromSpendings } from "../../../policies/ledger-expert/answer-query.ts";
import { gap, ledgerCore } from "../../../policies/ledger-expert/keep-books.ts";
import { ledgerScript } from "../../../policies/ledger-expert/ledger-expert.ts";
import { readQuery } from "../../../policies/ledger-expert/read-query.ts";
import { fromLine } from "../../../policies/ledger-expert/spending.ts";
import { type Scene, scenes, taxonomy } from "../../../policies/ledger-expert/taxonomy.ts";
import { dialogue } from "./dialogue-lines.ts";
import { maintenancePrompt, type PlayOptions, play, questionPrompt } from "./play.ts";

interface Chunk {
  readonly date: string;
  readonly lines: readonly string[];
}

function keep(chunks: readonly Chunk[], options: PlayOptions = {}) {
  const script = ledgerScript();
  const bank = new Map<string, string>();
  let core = "";
  const misses: string[] = [];
  for (const { date, lines } of chunks) {
    const played = play(script, bank, maintenancePrompt(core, dialogue(date, ...lines)), options);
    core = played.text;
    misses.push(...played.misses);
  }
  const ask = (question: string) => {
    const played = play(script, bank, questionPrompt(core, question), options);
    misses.push(...played.misses);
    return /\\boxed\{(.*)\}/.exec(played.text)?.[1] ?? played.text;
  };
  return { bank, core: () => core, ask, misses };
}

const latte = (amount: string) => `A latte for ${amount}.`;

describe("the bank", () => {
  it("holds an entry per day with its lines, and totals above them", () => {
    const { bank, core } = keep([
      { date: "2024-05-17", lines: [latte("4.20"), "A taxi for 18."] },
      { date: "2024-05-21", lines: [latte("4.50"), "The taxi on 2024-05-17 was 16, not 18."] },
      { date: "2024-06-02", lines: ["The rent: 900."] },
    ]);
    expect(Object.fromEntries(bank)).toEqual({
      "2024-05-17": "2024-05-17 | Dining | Coffee | 4.20 | latte\n2024-05-17 | Transportation | Taxi | 16.00 | taxi",
      "days 2024-05-16 to 20": "17: Dining 4.20, Transportation 16.00, largest 16.00",
      "month 2024-05": "Dining 8.70\nTransportation 16.00\nlargest: 16 16.00, 21 4.50",
      "year 2024": "Dining 8.70\nTransportation 16.00\nUtilities 900.00\nlargest: 05 16.00, 06 900.00",
      "all years": "Dining 8.70\nTransportation 16.00\nUtilities 900.00\nlargest: 2024 900.00\nlatest day 2024-06-02",
      "busiest dates":
        "Dining: 1 on 2024-05-17, 2024-05-21\nTransportation: 1 on 2024-05-17\nUtilities: 1 on 2024-06-02",
      "2024-05-21": "2024-05-21 | Dining | Coffee | 4.50 | latte",
      "days 2024-05-21 to 25": "21: Dining 4.50, largest 4.50",
      "2024-06-02": "2024-06-02 | Utilities | Rent | 900.00 | rent",
      "days 2024-06-01 to 05": "02: Utilities 900.00, largest 900.00",
      "month 2024-06": "Utilities 900.00\nlargest: 01 900.00",
    });
    expect(core()).toBe(ledgerCore);
  });

  it("loses the day's entry when its last expense is taken back, and takes a new one on the same day", () => {
    const { bank, ask, misses } = keep([
      { date: "2024-05-17", lines: [latte("4.20")] },
      { date: "2024-05-18", lines: ["The latte from 2024-05-17 was fully refunded."] },
      { date: "2024-05-17", lines: ["A taxi for 18."] },
    ]);
    expect(bank.get("2024-05-17")).toBe("2024-05-17 | Transportation | Taxi | 18.00 | taxi");
    expect(bank.get("month 2024-05")).toBe("Transportation 18.00\nlargest: 16 18.00");
    expect(ask("How much did I spend in total?")).toBe("18.00");
    expect(misses).toEqual([]);
  });

  it("says when a change speaks of an expense that was never told", () => {
    const chunks = [{ date: "2024-05-17", lines: [latte("4.20")] }];
    const lines = ["The taxi on 2024-05-17 was 16, not 18.", "The latte on 2024-05-16 was 5."];
    const { bank, core } = keep([...chunks, { date: "2024-05-18", lines }]);
    expect(bank).toEqual(keep(chunks).bank);
    expect(core()).toBe(`${ledgerCore} ${gap}`);
    expect(keep([{ date: "2024-05-18", lines }]).core()).toContain(gap);
  });

  it("keeps lines that others wrote into a day's entry", () => {
    const script = ledgerScript();
    const bank = new Map([
      ["2024-05-17", "a rainy day\n2024-05-17 | Dining | Coffee | 3.00\n2024-05-18 | Other | Pet | 9.00"],
    ]);
    const { misses } = play(script, bank, maintenancePrompt("", dialogue("2024-05-17", latte("4.20"))));
    expect(misses).toEqual([]);
    expect(bank.get("2024-05-17")!.split("\n").sort()).toEqual([
      "2024-05-17 | Dining | Coffee | 3.00",
      "2024-05-17 | Dining | Coffee | 4.20 | latte",
      "2024-05-18 | Other | Pet | 9.00",
      "a rainy day",
    ]);
  });

  it("stores nothing of any other text and says so, once", () => {
    const bank = new Map<string, string>();
    const { text, calls } = play(ledgerScript(), bank, maintenancePrompt("", "It was a bright cold day in April."));
    expect({ calls, size: bank.size }).toEqual({ calls: [], size: 0 });
    expect(text).toMatch(/no spending/i);
    expect(play(ledgerScript(), bank, maintenancePrompt(text, "More of it.")).text).toBe(text);
    expect(play(ledgerScript(), bank, maintenancePrompt("The user likes tea.", "More of it.")).text).toBe(
      "The user likes tea.",
    );
  });

  it("is left alone when an entry was seen in part only", () => {
    const chunks = [{ date: "2024-05-17", lines: [latte("4.20")] }];
    const { bank, core } = keep(chunks);
    const before = new Map(bank);
    const shown = (content: string) => `${content.slice(0, 8)}\n[cut: 40 of 48 characters left out]`;
    const prompt = maintenancePrompt(core(), dialogue("2024-05-18", latte("5")));
    const { calls } = play(ledgerScript(), bank, prompt, { shown });
    expect(calls.every((name) => name === "memory_key_retrieve")).toBe(true);
    expect(bank).toEqual(before);
    expect(
      play(ledgerScript(), bank, questionPrompt(core(), "How much did I spend in total?"), { shown }).text,
    ).toMatch(/could not look up/);
  });

  it("is left alone when there is no room to write all that changes", () => {
    const bank = new Map<string, string>();
    const prompt = maintenancePrompt("", dialogue("2024-05-17", latte("4")));
    expect(play(ledgerScript(), bank, prompt, { maxTokens: 100 }).text).toContain(gap);
    expect(bank.size).toBe(0);
  });

  it("remembers a gap, and says so with every answer", () => {
    const script = ledgerScript();
    const bank = new Map<string, string>();
    const first = play(script, bank, maintenancePrompt("", dialogue("2024-05-17", latte("4"))), { maxTurns: 2 });
    const second = play(script, bank, maintenancePrompt(first.text, dialogue("2024-05-18", latte("5"))));
    expect(second.text).toBe(`${ledgerCore} ${gap}`);
    const { text } = play(script, bank, questionPrompt(second.text, "How much did I spend in total?"));
    expect(text).toContain("\\boxed{5.00}");
    expect(text).toContain(gap);
  });

  it("says when the books were not brought up to date before the turns ran out", () => {
    for (const maxTurns of [1, 2]) {
      const bank = new Map<string, string>();
      const { text } = play(ledgerScript(), bank, maintenancePrompt("", dialogue("2024-05-17", latte("4"))), {
        maxTurns,
      });
      expect(bank.size).toBe(0);
      expect(text).toContain(gap);
    }
  });
});

describe("any ledger", () => {
  const dayOf = (n: number) => new Date(Date.UTC(2023, 10, 20) + n * 86_400_000).toISOString().slice(0, 10);
  const label = fc.constantFrom(...scenes.flatMap((scene) => taxonomy[scene].map((name) => `${scene} - ${name}`)));
  const amount = fc.integer({ min: 100, max: 30_000 }).map((cents) => (cents / 100).toFixed(2));
  const act = fc.oneof(
    { weight: 5, arbitrary: fc.record({ kind: fc.constant("spend" as const), label, amount }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom("edit", "part", "all"), which: fc.nat(), amount }) },
  );
  const stream = fc.array(fc.record({ day: fc.nat(500), acts: fc.array(act, { maxLength: 5 }) }), { maxLength: 25 });

  /** Spoken lines, and beside them the plain list of what they come to. */
  function tell(sessions: typeof stream extends fc.Arbitrary<infer T> ? T : never) {
    const truth: { date: string; label: string; cents: number }[] = [];
    const chunks = sessions.map(({ day, acts }): Chunk => {
      const date = dayOf(day);
      const lines: string[] = [];
      for (const told of acts) {
        if (told.kind === "spend") {
          const { label, amount } = told;
          // one of a kind a day, so that every reference is unique
          if (truth.some((known) => known.date === date && known.label === label)) continue;
          truth.push({ date, label, cents: Math.round(Number(amount) * 100) });
          lines.push(`${label}: ${amount}.`);
          continue;
        }
        const target = truth[told.which % Math.max(truth.length, 1)];
        if (!target || target.date === date) continue;
        const what = `${target.label} on ${target.date}`;
        const cents = Math.round(Number(told.amount) * 100);
        if (told.kind === "all") {
          truth.splice(truth.indexOf(target), 1);
          lines.push(`I got a full refund for ${what}.`);
        } else if (told.kind === "edit" && cents !== target.cents) {
          target.cents = cents;
          lines.push(`Please change ${what} to ${told.amount}.`);
        } else if (told.kind === "part" && cents < target.cents) {
          target.cents -= cents;
          lines.push(`They gave me ${told.amount} back for ${what}.`);
        }
      }
      return { date, lines };
    });
    return { chunks, truth };
  }

  it("is answered from the entries as from the expenses themselves, without one miss", () => {
    fc.assert(
      fc.property(
        stream,
        fc.array(fc.tuple(fc.nat(520), fc.nat(520), fc.constantFrom(...scenes)), { minLength: 1, maxLength: 4 }),
        fc.constantFrom(1, 3, 16),
        (sessions, ranges, maxCalls) => {
          const { chunks, truth } = tell(sessions);
          const { bank, ask, misses } = keep(chunks, { maxCalls, maxTurns: 200 });
          const spendings = truth.map(({ date, label, cents }) => {
            const [scene = "", subscene = ""] = label.split(" - ");
            return fromLine(`${date} | ${scene} | ${subscene} | ${(cents / 100).toFixed(2)}`)!;
          });
          const kept = [...bank].flatMap(([title, content]) =>
            /^\d/.test(title) ? content.split("\n").map((line) => fromLine(line)!) : [],
          );
          const bare = (list: typeof kept) => list.map((spending) => JSON.stringify({ ...spending, note: "" })).sort();
          expect(bare(kept)).toEqual(bare(spendings));
          if (!bank.has("all years")) return;
          for (const [a, b, scene] of ranges) {
            const [from, to] = [dayOf(Math.min(a, b)), dayOf(Math.max(a, b))];
            for (const question of [
              `How much did I spend on ${scene} between ${from} and ${to}?`,
              `How much did I spend between ${from} and ${to}?`,
              `Which category cost me the most from ${from} to ${to}?`,
              `What was the largest single expense between ${from} and ${to}?`,
              `What did I spend on ${scene} on ${from}?`,
              "What is the total of everything?",
            ])
              expect(ask(question), question).toBe(answerFromSpendings(spendings, readQuery(question)!) ?? "none");
            const busiest = answerFromSpendings(spendings, {
              asks: "busiest date",
              scenes: [scene as Scene],
              subscene: null,
              range: null,
            });
            const answer = ask(`Which date had the most ${scene} transactions?`);
            // a dozen dates are kept for each scene; where more were tied, the entry says what it lacks
            if (/^More dates/.test(answer))
              expect(bank.get("busiest dates")).toMatch(new RegExp(`^${scene}: fewer than \\d+ not listed`, "m"));
            else expect(answer).toBe(busiest ?? "none");
          }
          expect(misses).toEqual([]);
        },
      ),
      { numRuns: 60 },
    );
  });
});
