import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UmaError } from "../../base/errors.ts";
import { addEntry, emptyBank, updateEntry } from "../../memory/bank.ts";
import { memoryCodec } from "../../memory/codec.ts";
import { emptyMemory } from "../../memory/memory.ts";
import { bankAfter, seen, stepBank, steps } from "./bank-model.ts";

const by = { chunk: 2, session: "s" };

function inputError(act: () => unknown): UmaError {
  try {
    act();
  } catch (thrown) {
    if (thrown instanceof UmaError && thrown.code === "input") return thrown;
    throw thrown;
  }
  throw new Error("nothing was thrown");
}

describe("a memory as bytes", () => {
  it("comes back with core, entries, order, journal and lineage, and is written on like the first", () => {
    fc.assert(
      fc.property(steps(60), steps(5), fc.string({ unit: "binary" }), (all, more, core) => {
        const bank = bankAfter(all);
        const bytes = memoryCodec.encode({ core, bank });
        const back = memoryCodec.decode(bytes);
        expect(back.core).toBe(core);
        expect(seen(back.bank)).toEqual(seen(bank));
        expect(memoryCodec.encode(back)).toEqual(bytes);
        expect(seen(bankAfter(more, back.bank))).toEqual(seen(bankAfter(more, bank)));
      }),
      { numRuns: 300, seed: 3 },
    );
  });

  it("is lossless for lone surrogates, byte order marks and NUL", () => {
    for (const text of ["\ud83d", "a\udc00b", "\ufeffx", "\0", "👍🏽", ""]) {
      const written = addEntry(emptyBank, { title: `t${text}`, content: text }, { chunk: null, session: text });
      const bank = written.ok ? written.bank : emptyBank;
      const back = memoryCodec.decode(memoryCodec.encode({ core: text, bank }));
      expect(back.core).toBe(text);
      expect(seen(back.bank)).toEqual(seen(bank));
    }
  });

  it("has equal bytes for equal memories and different ones for different histories", () => {
    const encode = (core: string, bank = emptyBank) => Buffer.from(memoryCodec.encode({ core, bank })).toString("hex");
    expect(encode("")).toBe(encode(emptyMemory.core, emptyMemory.bank));
    const once = addEntry(emptyBank, { title: "a", content: "b" }, by);
    const bank = once.ok ? once.bank : emptyBank;
    const touched = updateEntry(bank, { title: "a", content: "b" }, by);
    expect(
      new Set([encode(""), encode("x"), encode("", bank), encode("", touched.ok ? touched.bank : bank)]).size,
    ).toBe(4);
  });

  it("is compact: a write costs its text and a few bytes", () => {
    let bank = emptyBank;
    for (let at = 0; at < 1_000; at++) {
      const written = addEntry(
        bank,
        { title: `title ${at}`, content: "ten bytes." },
        { chunk: 0, session: "session-1" },
      );
      if (written.ok) bank = written.bank;
    }
    const text = [...seen(bank).entries].reduce((sum, { title, content }) => sum + title.length + content.length, 0);
    expect(memoryCodec.encode({ core: "", bank }).length).toBeLessThan(text + 1_000 * 4 + 40);
  });

  it("keeps its bytes up to the core when a write is added, so that versions can share them", () => {
    const [all] = fc.sample(steps(80), { numRuns: 1, seed: 11 });
    let bank = emptyBank;
    for (const step of all!) {
      const before = memoryCodec.encode({ core: "", bank });
      const written = stepBank(bank, step);
      if (!written.ok) continue;
      bank = written.bank;
      const after = memoryCodec.encode({ core: "", bank });
      // END, the empty core and the checksum
      const shared = before.length - 10;
      expect(after.subarray(0, shared)).toEqual(before.subarray(0, shared));
    }
  });

  it("refuses every truncation and every flipped byte", () => {
    const [all] = fc.sample(steps(20), { numRuns: 1, seed: 12 });
    const bytes = memoryCodec.encode({ core: "core", bank: bankAfter(all!) });
    expect(bytes.length).toBeGreaterThan(60);
    for (let at = 0; at < bytes.length; at++) {
      inputError(() => memoryCodec.decode(bytes.subarray(0, at)));
      const flipped = bytes.slice();
      flipped[at]! ^= 1 << (at % 8);
      inputError(() => memoryCodec.decode(flipped));
    }
  });

  it("refuses foreign bytes with what was expected and where", () => {
    expect(inputError(() => memoryCodec.decode(Buffer.from('{"core":"","bank":[]}'))).message).toBe(
      'cannot read a memory: "UMAM" expected, at byte 0',
    );
    const newer = memoryCodec.encode(emptyMemory);
    newer[4] = 9;
    expect(inputError(() => memoryCodec.decode(newer)).message).toContain("format 1 expected, got 9");
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        inputError(() => memoryCodec.decode(bytes));
      }),
      { numRuns: 300, seed: 4 },
    );
  });

  it("refuses what is well sealed and still no journal, without another kind of error", () => {
    const seal = (body: Uint8Array) => Buffer.concat([body, createHash("sha256").update(body).digest().subarray(0, 8)]);
    let refused = 0;
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.nat(31), fc.nat(255)), { maxLength: 40 }), (random) => {
        const bytes = seal(Buffer.concat([Buffer.from("UMAM\x01", "latin1"), Buffer.from(random)]));
        try {
          memoryCodec.decode(bytes);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(UmaError);
          refused++;
        }
      }),
      { numRuns: 3_000, seed: 6 },
    );
    expect(refused).toBeGreaterThan(2_000);
  });
});
