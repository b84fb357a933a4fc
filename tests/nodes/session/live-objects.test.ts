import { describe, expect, it } from "vitest";
import { emptyBank } from "../../../memory/bank.ts";
import { sessionId, sessionSeed } from "../../../nodes/session/identity.ts";
import { liveObjects } from "../../../nodes/session/live-objects.ts";
import { SessionIdentity } from "../../../nodes/session/state.ts";
import { bankOf, smallSource } from "../../support/worlds.ts";

describe("live objects that a state only names", () => {
  it("a name keeps its bank, however many are kept after it", () => {
    const live = liveObjects();
    const banks = [bankOf({ a: "1" }), bankOf({ b: "2" })];
    const refs = banks.map((bank) => live.keepBank(bank));
    expect(refs.map((ref) => live.bank(ref))).toEqual(banks);
    expect(live.bank(refs[0]!)).toBe(banks[0]);
    expect(live.bank("")).toBe(emptyBank);
    expect(live.source("")).toBeNull();
  });

  it("a context is named by what it holds, so the same one is kept once", () => {
    const live = liveObjects();
    const [one, same] = [smallSource(), smallSource()];
    expect(live.keepSource(one)).toBe(live.keepSource(same));
  });

  it("a name of another process, or one that fell out, is refused with what to do", () => {
    const live = liveObjects({ capacity: 2 });
    const refs = [1, 2, 3].map((i) => live.keepBank(bankOf({ [`t${i}`]: "" })));
    expect(() => live.bank(refs[0]!)).toThrow('the state names the bank "bank-1", which is not live in this process');
    expect(live.bank(refs[2]!).size).toBe(1);
    expect(() => live.source("elsewhere")).toThrow(
      expect.objectContaining({ code: "input", fix: expect.stringContaining("start a new thread") }),
    );
  });
});

describe("a session's name and seeds", () => {
  const identity = SessionIdentity.parse({ context: "c", trajectory: 2, seed: 7 });

  it("say which context, trajectory, stage and position it is", () => {
    expect(sessionId({ identity, stage: "memory", position: 4 })).toBe("c/t2/m4");
    expect(sessionId({ identity: { ...identity, question: "q9" }, stage: "qa", position: 4 })).toBe("c/t2/qq9");
  });

  it("no two turns, sessions or seeds sample from the same one", () => {
    const seeds = new Set<number>();
    for (const seed of [7, 8])
      for (const trajectory of [0, 1])
        for (const position of [0, 1, 2])
          for (const turn of [0, 1, 2])
            seeds.add(sessionSeed({ identity: { ...identity, seed, trajectory }, stage: "memory", position }, turn));
    expect(seeds.size).toBe(36);
    expect(sessionSeed({ identity, stage: "memory", position: 0 }, 0)).toBe(
      sessionSeed({ identity, stage: "memory", position: 0 }, 0),
    );
  });
});
