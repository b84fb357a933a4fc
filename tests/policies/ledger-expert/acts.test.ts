/** Each act, in sentences of this test's own: the reader knows a language, not a list of templates. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readSessions } from "../../../policies/ledger-expert/read-sessions.ts";
import { day, dialogue, recorded, sessionOf } from "./dialogue-lines.ts";

describe("spending", () => {
  it.each([
    ["My latte this morning was 4.20.", "Coffee 4.20"],
    ["They charged me $89.99 for the running shoes.", "Clothing 89.99"],
    ["Paid the landlord 1,450.00 just now.", "Rent 1450.00"],
    ["Another cab, thirteen dollars.", "Taxi 13.00"],
    ["Groceries: 61.35", "Groceries 61.35"],
    ["The vet took 120 from me.", "Pet 120.00"],
    ["Utilities - Water & Electricity, 75.5 please.", "Water & Electricity 75.50"],
    ["I took a taxi for 12, keep the change.", "Taxi 12.00"],
    ["The slip for the cap and the shirt says 30.", "Clothing 30.00"],
    ["Today, 2024-05-17, a movie ticket cost me 12.", "Movie 12.00"],
  ])("%j records %s", (line, expected) => {
    expect(recorded(line)).toEqual([expected]);
  });

  it("takes the longest thing that fits: a coffee table is no coffee", () => {
    expect(recorded("I got a coffee table for 140.")).toEqual(["Furniture 140.00"]);
    expect(recorded("A phone charger set me back 19.")).toEqual(["Electronics 19.00"]);
    expect(recorded("An oat milk latte for 5.")).toEqual(["Coffee 5.00"]);
  });

  it("pairs things and amounts in either order", () => {
    expect(recorded("A sandwich for 6.50 and a bus ticket for 2.")).toEqual(["Fast Food 6.50", "Bus 2.00"]);
    expect(recorded("Spent 30 on petrol, 4 on parking, and 9.99 on cookies.")).toEqual([
      "Gas 30.00",
      "Parking 4.00",
      "Snacks 9.99",
    ]);
  });

  it("does not take a time of day for a meal", () => {
    expect(recorded("After lunch I paid 20 for a haircut and 3 for a subway ticket.")).toEqual([
      "Beauty & Salon 20.00",
      "Subway 3.00",
    ]);
  });

  it("joins a thing and the amount that the assistant asked for", () => {
    expect(
      recorded("Then there was the dentist, of course.", "> How much did that come to?", "Eighty dollars."),
    ).toEqual(["Dental 80.00"]);
    expect(recorded("I went to the dentist.", "> Take care!", "It was 80.")).toEqual([]);
  });

  it("files a thing it has no word for as the assistant does", () => {
    const ask = "I bought a trombone for 310.";
    expect(recorded(ask)).toEqual([]);
    expect(recorded(ask, "> Noted under Entertainment - Concert: 310.00.")).toEqual(["Concert 310.00"]);
    expect(recorded(ask, "> So 300.00 for Entertainment - Concert?")).toEqual([]);
  });

  it("keeps the user's words as the note", () => {
    expect(sessionOf("I paid 9 for a spicy hot pot.").spendings[0]!.note).toBe("spicy hot pot");
  });
});

describe("talk that records nothing", () => {
  it.each([
    "I saw a laptop for 999 but did not take it.",
    "The jacket costs 120, too much for me.",
    "My sister paid 40 for a concert ticket.",
    "Dad got the movie tickets, 24 on his card.",
    "Next month I will buy a sofa for 800.",
    "Maybe a massage for 60?",
    "If it rains I take a taxi for 15.",
    "My budget for Dining is 300.",
    "My salary of 2,500 arrived.",
    "I won 20 in an online game.",
    "There is 35 left on my subway card.",
    "I walked 9000 steps to the gym.",
    "The train number was 42.",
    "It cost 12.",
    "The assistant knows nothing of 12.50.",
  ])("%j", (line) => {
    const { spendings, changes } = sessionOf(line);
    expect({ spendings, changes }).toEqual({ spendings: [], changes: [] });
  });

  it("counts nothing that the assistant says", () => {
    expect(recorded("Hello!", "> I paid 12 for a coffee.", "Thanks.")).toEqual([]);
  });
});

describe("corrections in the same session", () => {
  it("replace the amount of what was just said", () => {
    expect(recorded("A burger for 8.", "> Noted.", "Sorry, it was 9.")).toEqual(["Fast Food 9.00"]);
    expect(recorded("A burger for 8.", "Oops, 9, not 8.")).toEqual(["Fast Food 9.00"]);
    expect(recorded("The gym.", "> How much?", "40.", "Wait, make that 45.")).toEqual(["Gym 45.00"]);
  });

  it("find what they name, whatever the order of old and new", () => {
    const before = ["A burger for 8.", "A taxi for 15."];
    for (const line of [
      "Please change the burger from 8 to 9.",
      "I said 8 for the burger, but it was 9.",
      "The burger was 9, not 8.",
      "Fix the burger: it came to 9.",
    ])
      expect(recorded(...before, line)).toEqual(["Fast Food 9.00", "Taxi 15.00"]);
  });

  it("find things whose words go on after a preposition", () => {
    expect(recorded("A gift to charity for 20.", "Please change the gift to charity to 25.")).toEqual([
      "Donation 25.00",
    ]);
  });

  it("tell two of a kind apart by the amount that stands", () => {
    expect(recorded("A latte for 4.", "An espresso for 3.", "The espresso was 3.50, not 3.")).toEqual([
      "Coffee 4.00",
      "Coffee 3.50",
    ]);
    expect(recorded("A latte for 4.", "A latte for 3.", "The latte was wrong, it should be 3.50.")).toEqual([
      "Coffee 4.00",
      "Coffee 3.00",
    ]);
  });

  it("leave everything as it is when there is nothing they could be about", () => {
    expect(recorded("A burger for 8.", "How are you?", "Sorry, it was 9.")).toEqual(["Fast Food 8.00"]);
  });
});

describe("changes of an earlier day", () => {
  const changeIn = (line: string) => {
    const { spendings, changes } = sessionOf(line);
    expect(spendings).toEqual([]);
    expect(changes).toHaveLength(1);
    const { kind, date, thing, amounts, whole } = changes[0]!;
    return { kind, date, subscene: thing?.subscene, amounts, whole };
  };

  it.each([
    ["The taxi of 2024-05-02 was 18, not 15.", [1800, 1500]],
    ["On May 2, 2024 the taxi should be 18.", [1800]],
    ["Could you go back to 2024-05-02 and make the taxi 18?", [1800]],
  ])("edit: %j", (line, amounts) => {
    expect(changeIn(line)).toEqual({ kind: "amount", date: "2024-05-02", subscene: "Taxi", amounts, whole: false });
  });

  it.each([
    ["I got 5 back for the taxi from 2024-05-02.", [500]],
    ["They refunded 5 of the 18 for the taxi on 2024-05-02.", [500, 1800]],
  ])("partial refund: %j", (line, amounts) => {
    expect(changeIn(line)).toEqual({ kind: "refund", date: "2024-05-02", subscene: "Taxi", amounts, whole: false });
  });

  it.each([
    ["The whole 18 for the taxi on 2024-05-02 came back.", [1800]],
    ["The taxi from 2024-05-02 was cancelled and fully refunded.", []],
  ])("full refund: %j", (line, amounts) => {
    expect(changeIn(line)).toEqual({ kind: "refund", date: "2024-05-02", subscene: "Taxi", amounts, whole: true });
  });

  it("a full checkup is no full refund", () => {
    expect(changeIn("I got 50 back for a full checkup on 2024-05-02.")).toMatchObject({
      subscene: "Health Checkup",
      whole: false,
    });
  });

  it("money back for something of today lowers it", () => {
    expect(recorded("A jacket for 80.", "They gave me 10 back for the jacket.")).toEqual(["Clothing 70.00"]);
  });
});

describe("dialogue", () => {
  it("is told from any other text", () => {
    expect(readSessions("Call me Ishmael. It cost 12.50.")).toBeNull();
    expect(readSessions("")).toBeNull();
    expect(readSessions(dialogue(day, "Hello there."))).toEqual([{ date: day, spendings: [], changes: [] }]);
  });

  it("keeps quotation marks, line breaks in a line, and several days in a chunk", () => {
    const text = `${dialogue(day, 'He said "nice",\nand I paid 4 for a "latte".')}\n${dialogue("2024-05-18", "A cab for 9.")}`;
    expect(readSessions(text)!.map(({ date, spendings }) => [date, spendings.map(({ cents }) => cents)])).toEqual([
      [day, [400]],
      ["2024-05-18", [900]],
    ]);
  });

  it("of any kind is read without an error", () => {
    const piece = fc.oneof(
      fc.string({ unit: "grapheme" }),
      fc.constantFrom(
        '[2024-02-30] User said, "',
        "] ",
        "\n",
        "$",
        "not 5",
        "a latte",
        "twelve fifty",
        "2024-05-02",
        " - ",
        "Dining - Coffee",
        "@#~",
        "İ",
      ),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const [session] = readSessions(dialogue(day, pieces.join(" ")))!;
        for (const { cents } of session!.spendings) expect(Number.isSafeInteger(cents)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("is read in time that grows with its length only: quadratic work would not end before the time limit", () => {
    const long = `${"1".repeat(300_000)}x ${" ".repeat(300_000)}. ${"a latte for 4, ".repeat(30_000)}`;
    expect(recorded(long)).toHaveLength(30_000);
  });
});
