import { describe, expect, it } from "vitest";
import { canonicalJson, contentHash } from "../../../base/hash.ts";
import { rng } from "../../../base/rng.ts";
import { amountsIn } from "../../../evals/benchmarks/ledger-qa/amount-forms.ts";
import { ledgerQaConfig } from "../../../evals/benchmarks/ledger-qa/config.ts";
import { generateContext, type LedgerContext } from "../../../evals/benchmarks/ledger-qa/context.ts";
import { standing } from "../../../evals/benchmarks/ledger-qa/ledger.ts";
import { toLedgerLine } from "../../../evals/benchmarks/ledger-qa/ledger-lines.ts";
import { answerQuery, countLedger } from "../../../evals/benchmarks/ledger-qa/questions.ts";
import { sampleDates } from "../../../evals/benchmarks/ledger-qa/timeline.ts";
import { readingsOf, readLedger } from "./form-reader.ts";

const profiles = ["micro", "full"] as const;
const context = (options: object, index = 0, horizon = 20): LedgerContext =>
  generateContext(horizon, index, ledgerQaConfig.parse(options));
const hash = (made: LedgerContext) => contentHash(canonicalJson(toLedgerLine(made)));
const total = (made: LedgerContext) =>
  answerQuery(countLedger(standing(made.ledger)), { type: "total_amount", scenes: [], dates: [] });

describe("determinism", () => {
  it("the same seed gives the same bytes on any machine", () => {
    expect(profiles.map((profile) => hash(context({ profile, seed: 7 })))).toEqual([
      "af1c6556606a5351",
      "e3aa2b9d256a5403",
    ]);
  });

  it("another seed, split, profile, horizon or index gives another context", () => {
    const made = [
      context({ seed: 1 }),
      context({ seed: 2 }),
      context({ seed: 1, split: "train" }),
      context({ seed: 1, profile: "micro" }),
      context({ seed: 1 }, 1),
      context({ seed: 1 }, 0, 21),
    ];
    expect(new Set(made.map(({ id }) => id)).size).toBe(made.length);
    expect(new Set(made.map(({ sessions }) => canonicalJson(sessions))).size).toBe(made.length);
  });

  it("training and test contexts of the same seeds share no session", () => {
    const sessions = (split: string) =>
      [0, 1, 2, 3].flatMap((seed) =>
        context({ split, seed, profile: "micro" }).sessions.map(({ lines }) => canonicalJson(lines)),
      );
    const train = new Set(sessions("train").filter((text) => text.length > 200));
    expect(train.size).toBeGreaterThan(40);
    expect(sessions("test").filter((text) => train.has(text))).toEqual([]);
  });
});

describe("timeline", () => {
  it("H distinct sorted dates from 2023-01-01 to 2024-12-31, all 731 of them at H = 731", () => {
    const dates = sampleDates(50, rng("test"));
    expect([...new Set(dates)].sort()).toEqual(dates);
    expect(dates[0]! >= "2023-01-01" && dates.at(-1)! <= "2024-12-31").toBe(true);
    const all = sampleDates(731, rng("test"));
    expect([all[0], all[59], all[424], all.at(-1)]).toEqual(["2023-01-01", "2023-03-01", "2024-02-29", "2024-12-31"]);
  });

  it("a longer horizon moves the end of the range, one day per session", () => {
    const dates = sampleDates(5000, rng("test"));
    expect(new Set(dates).size).toBe(5000);
    expect([dates[0], dates[731], dates.at(-1)]).toEqual(["2023-01-01", "2025-01-01", "2036-09-08"]);
    expect([...dates].sort()).toEqual(dates);
  });

  it("H = 5,000 works", () => {
    const made = context({ profile: "micro", questions: 8 }, 0, 5000);
    expect(made.sessions).toHaveLength(5000);
    expect(made.questions).toHaveLength(8);
  });
});

describe.each(profiles)("dialogues of the %s profile", (profile) => {
  const splits = ["train", "test"] as const;

  it("determine the ledger: a reader of the published grammar ends with the same transactions", () => {
    for (const split of splits)
      for (let index = 0; index < 5; index++) {
        const made = context({ profile, split, maxTransactions: index === 4 ? 20 : null }, index);
        const read = readLedger(toLedgerLine(made).chunks);
        const sorted = (spendings: readonly object[]) => spendings.map((one) => canonicalJson(one)).sort();
        expect(sorted(read)).toEqual(sorted(standing(made.ledger)));
        for (const { query, answer } of made.questions) expect(answerQuery(countLedger(read), query)).toBe(answer);
      }
  });

  it("change earlier days as often as is asked for", () => {
    const changed = (changes: number | null) => {
      const ledgers = [0, 1, 2, 3].map((index) => context({ profile, changes }, index, 10).ledger);
      const told = ledgers.flat().flatMap(({ history }) => history);
      return told.filter(({ op }) => op === "edit" || op === "refund");
    };
    expect(changed(0)).toEqual([]);
    // in each session but the first, of four contexts
    expect(changed(1)).toHaveLength(4 * 9);
    expect(changed(null).length).toBeGreaterThan(0);
  });

  it("put amounts right as often as is asked for", () => {
    const shares = (corrections: number | null) => {
      const made = [0, 1, 2, 3].map((index) => context({ profile, corrections, maxTransactions: 3 }, index, 10));
      const ledger = made.flatMap((context) => context.ledger);
      const corrected = ledger.filter(({ history }) => history.some(({ op }) => op === "correct"));
      return corrected.length / ledger.length;
    };
    expect(shares(0)).toBe(0);
    // at most three a session, of three
    expect(shares(1)).toBe(1);
    expect(shares(null)).toBeGreaterThan(0);
    expect(shares(null)).toBeLessThan(0.4);
  });

  it("hold amounts that are no spending: adding up what users name gives another total", () => {
    for (let index = 0; index < 5; index++) {
      const made = context({ profile }, index);
      const named = made.sessions.flatMap(({ lines }) =>
        lines.flatMap((line) => (line.speaker === "User" ? amountsIn(line.text) : [])),
      );
      expect((named.reduce((sum, cents) => sum + cents, 0) / 100).toFixed(2)).not.toBe(total(made));
    }
  });

  it("use every act and every class of distractor", () => {
    const seen = new Set(
      [0, 1, 2, 3].flatMap((index) =>
        context({ profile }, index).sessions.flatMap(({ lines }) =>
          lines.flatMap(({ speaker, text }) => (speaker === "User" ? readingsOf(text).map(({ set }) => set) : [])),
        ),
      ),
    );
    const expected = [
      "spendSingle",
      "spendLabel",
      "spendPair",
      "splitOpening",
      "splitAmount",
      "correctImmediate",
      "correctNamed",
    ];
    const distractors = ["priceSeen", "budget", "income", "plan", "others", "cash", "count", "smallTalk"].map(
      (name) => `chat.${name}`,
    );
    const changes = ["edit", "refundPart", "refundAll"];
    const fullOnly = profile === "full" ? ["spendList", "chat.recap", "confirm", "greeting", "farewell"] : [];
    expect([...seen]).toEqual(expect.arrayContaining([...expected, ...distractors, ...changes, ...fullOnly]));
  });

  it("keep each turn on one line of the chunk", () => {
    const made = context({ profile });
    for (const [index, chunk] of toLedgerLine(made).chunks.entries()) {
      const { date, lines } = made.sessions[index]!;
      const turns = chunk.split("\n");
      expect(turns).toHaveLength(lines.length);
      turns.forEach((turn, line) => {
        expect(turn).toBe(`[${date}] ${lines[line]!.speaker} said, "${lines[line]!.text}"`);
      });
    }
  });

  it("stay within the profile's lengths", () => {
    for (let index = 0; index < 10; index++) {
      const made = context({ profile }, index, 40);
      for (const [session, { lines }] of made.sessions.entries()) {
        const recorded = made.ledger.filter(({ history }) => history[0]!.session === session).length;
        expect(recorded).toBeGreaterThanOrEqual(1);
        expect(recorded).toBeLessThanOrEqual(profile === "micro" ? 4 : 10);
        expect(lines.length).toBeGreaterThanOrEqual(profile === "micro" ? 1 : 20);
        expect(lines.length).toBeLessThanOrEqual(profile === "micro" ? 30 : 50);
      }
    }
  });

  it("name the standing amount wherever a date saw the sub-scene twice", () => {
    const keys = [0, 1, 2, 3, 4, 5].flatMap((index) => {
      const made = context({ profile }, index, 60);
      return made.ledger.map(({ date, subscene }) => `${index} ${date} ${subscene}`);
    });
    const repeats = keys.length - new Set(keys).size;
    if (profile === "micro") expect(repeats).toBe(0);
    else expect(repeats).toBeGreaterThan(20);
  });
});

describe("the assistant of the full profile", () => {
  const made = context({}, 3, 40);
  const ofSession = (session: number) =>
    made.ledger
      .filter(({ history }) => history[0]!.session === session)
      .map(({ history }) => history.filter(({ op }) => op === "record" || op === "correct"));

  it("closes with the day's true sum, corrections included", () => {
    let checked = 0;
    for (const [session, { lines }] of made.sessions.entries()) {
      const told = /(\d+\.\d\d) (?:today\. Good night!|for today\.)$/.exec(lines.at(-1)!.text)?.[1];
      if (told === undefined) continue;
      const cents = ofSession(session).reduce(
        (sum, history) => sum + Math.round(Number(history.at(-1)!.after) * 100),
        0,
      );
      expect(Math.round(Number(told) * 100)).toBe(cents);
      checked++;
    }
    expect(checked).toBeGreaterThan(5);
  });

  it("names the category of every spending, with its amount", () => {
    for (const [session, { lines }] of made.sessions.entries()) {
      const said = lines.flatMap(({ speaker, text }) => (speaker === "Assistant" ? [text] : [])).join("\n");
      for (const { scene, subscene, history } of made.ledger.filter((one) => one.history[0]!.session === session)) {
        expect(said).toContain(`${scene} - ${subscene}`);
        expect(said).toContain(history[0]!.after);
      }
    }
  });
});

describe("lineage", () => {
  it.each(profiles)("each change names user lines that say its amounts, in order (%s)", (profile) => {
    const ops = new Map<string, number>();
    for (let index = 0; index < 5; index++) {
      const made = context({ profile }, index);
      for (const { amount, history } of made.ledger) {
        expect(history[0]!.op).toBe("record");
        expect(history.at(-1)!.after).toBe(amount);
        history.forEach((told, at) => {
          ops.set(told.op, (ops.get(told.op) ?? 0) + 1);
          expect(told.before).toBe(at === 0 ? null : history[at - 1]!.after);
          const lines = told.lines.map((line) => made.sessions[told.session]!.lines[line]!);
          expect(lines.length).toBeGreaterThanOrEqual(1);
          expect(lines.every(({ speaker }) => speaker === "User")).toBe(true);
          const said = lines.flatMap(({ text }) => amountsIn(text));
          const cents = (money: string) => Math.round(Number(money) * 100);
          if (told.after !== null)
            expect(said).toContain(told.op === "refund" ? cents(told.before!) - cents(told.after) : cents(told.after));
        });
      }
    }
    expect([...ops.keys()].sort()).toEqual(["correct", "edit", "record", "refund"]);
    for (const count of ops.values()) expect(count).toBeGreaterThan(5);
  });

  it("a refund happens in a later session and stays on the original date; a full one leaves no amount", () => {
    const made = context({}, 0, 60);
    const refunds = made.ledger.flatMap((one) =>
      one.history.filter(({ op }) => op === "refund").map((told) => ({ one, told })),
    );
    expect(refunds.length).toBeGreaterThan(5);
    for (const { one, told } of refunds) {
      expect(told.session).toBeGreaterThan(one.history[0]!.session);
      expect(one.date).toBe(made.sessions[one.history[0]!.session]!.date);
    }
    const gone = made.ledger.filter(({ amount }) => amount === null);
    expect(gone.length).toBeGreaterThan(0);
    expect(standing(made.ledger)).toHaveLength(made.ledger.length - gone.length);
  });
});
