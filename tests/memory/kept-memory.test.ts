/** A kept memory goes to bytes and back whole, and damaged bytes are refused. */
import { expect, it } from "vitest";
import { addEntry, emptyBank, entriesOf } from "../../memory/bank.ts";
import { emptyKeptMemory, type KeptMemory, keptMemoryCodec } from "../../memory/kept-memory.ts";

const added = addEntry(emptyBank, { title: "Ada", content: "lives in Lisbon 🌞" }, { chunk: 0, session: "s" });
const kept: KeptMemory = {
  memory: { core: "Ada's chats.", bank: added.ok ? added.bank : emptyBank },
  chunks: [{ text: "[2024-03-01] Ada: I moved to Lisbon 🌞\n", document: "chat.txt" }],
  documents: [{ name: "chat.txt", hash: "0123456789abcdef", messages: ["fedcba9876543210"] }],
};

it("comes back from its bytes with chunks, documents, core and entries", () => {
  const back = keptMemoryCodec.decode(keptMemoryCodec.encode(kept));
  expect({ ...back, memory: { ...back.memory, bank: [...entriesOf(back.memory.bank)] } }).toEqual({
    ...kept,
    memory: { ...kept.memory, bank: [...entriesOf(kept.memory.bank)] },
  });
  expect(keptMemoryCodec.decode(keptMemoryCodec.encode(emptyKeptMemory)).chunks).toEqual([]);
});

it("refuses bytes that were cut or changed", () => {
  const bytes = keptMemoryCodec.encode(kept);
  for (const damaged of [bytes.slice(0, 2), bytes.slice(0, 20), bytes.slice(0, -1), new Uint8Array(8)])
    expect(() => keptMemoryCodec.decode(damaged)).toThrow(/not a kept memory/);
});
