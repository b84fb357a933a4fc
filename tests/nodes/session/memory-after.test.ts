import { describe, expect, it } from "vitest";
import { memoryCodec } from "../../../memory/codec.ts";
import { emptyMemory } from "../../../memory/memory.ts";
import { memoryAfter } from "../../../nodes/session/memory-after.ts";
import { parseRecord, RECORD_VERSION, type SessionRecord } from "../../../nodes/session/record.ts";
import { add, playing, remove, update } from "../../support/scripts.ts";
import { throughLoop } from "../../support/sessions.ts";
import { bankOf } from "../../support/worlds.ts";

const bytes = (memory: Parameters<typeof memoryCodec.encode>[0]) =>
  Buffer.from(memoryCodec.encode(memory)).toString("hex");
const session = (
  position = 0,
  steps = [
    { calls: [add("a", "1"), add("b", "2")] },
    { calls: [update("a", "3", "c"), remove("b"), add("b", "4")] },
    { text: "Core." },
  ],
) => throughLoop(playing(steps), { input: { core: "", focus: "x", position } });

describe("the memory after a session, from its record alone", () => {
  it("has the same entries, ids, versions and lineage as the live one", async () => {
    const { record, bank } = await session();
    const asLogged = parseRecord(JSON.parse(JSON.stringify(record)));
    expect(bytes(memoryAfter(emptyMemory, asLogged))).toBe(bytes({ core: "Core.", bank: bank() }));
  });

  it("a question's record, and one that failed or was cancelled, change nothing", async () => {
    const { record } = await session();
    for (const change of [{ stage: "qa" }, { end: "error" }, { end: "cancelled" }] as Partial<SessionRecord>[])
      expect(memoryAfter(emptyMemory, { ...record, ...change })).toBe(emptyMemory);
  });

  it("a session without an acceptable text keeps the core and the writes", async () => {
    const { record, bank } = await session(0, [{ calls: [add("a", "1")] }, { text: "" }]);
    const memory = memoryAfter({ core: "", bank: emptyMemory.bank }, record);
    expect(memory.core).toBe("");
    expect(bytes(memory)).toBe(bytes({ core: "", bank: bank() }));
  });

  it("a record that does not follow on the memory is an error that names it", async () => {
    const { record } = await session(3);
    const other = { core: "", bank: bankOf({ z: "0" }) };
    expect(() => memoryAfter(other, record)).toThrow(
      "context/t0/m3: the recorded add of entry e1 does not fit the memory",
    );
    expect(() => memoryAfter({ core: "", bank: bankOf({ a: "0" }) }, record)).toThrow("does not fit the memory");
  });
});

describe("records in a log", () => {
  it("come back as they were", async () => {
    const { record } = await session();
    expect(parseRecord(JSON.parse(JSON.stringify(record)))).toEqual(record);
  });

  it("of another version, or broken, are refused with a reason", async () => {
    const { record } = await session();
    expect(() => parseRecord({ ...record, v: RECORD_VERSION + 1 })).toThrow(
      `schema version ${RECORD_VERSION + 1}; this umagraph reads 1 to ${RECORD_VERSION}`,
    );
    expect(() => parseRecord(null)).toThrow("schema version undefined");
    expect(() => parseRecord({ ...record, turns: "three" })).toThrow(/not a session record: .*turns/s);
  });
});
