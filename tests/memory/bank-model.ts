/** A plain ordered model of the bank, for property tests: arrays, copied at will, obviously right. */
import fc from "fast-check";
import type { Bank, Entry, Text, Version, Writer } from "../../memory/bank.ts";
import { addEntry, deleteEntry, emptyBank, entriesOf, journalOf, updateEntry, versionsOf } from "../../memory/bank.ts";

export type Step =
  | { readonly op: "add"; readonly title: string; readonly content: string; readonly by: Writer }
  | {
      readonly op: "update";
      readonly title: string;
      readonly content: string;
      readonly newTitle: string | undefined;
      readonly by: Writer;
    }
  | { readonly op: "delete"; readonly title: string; readonly by: Writer };

/** Few titles, so that steps meet; among them two with one hash and what breaks objects and encodings. */
export const titles = [
  "a",
  "b",
  "t194eq",
  "t1an9g",
  "Food",
  "food",
  "Food ",
  "__proto__",
  "constructor",
  "toString",
  "propertyIsEnumerable",
  "\0",
  "\ud800",
  "\ud801",
  "ä",
  "a\u0308",
  "👨‍👩‍👧",
  "x".repeat(40),
  "y".repeat(40),
];

const title = fc.constantFrom(...titles);
const content = fc.oneof(fc.constantFrom("", "v", "\ud83d", "\ufeffbom"), fc.string({ unit: "binary", maxLength: 8 }));
const writer: fc.Arbitrary<Writer> = fc.record({
  chunk: fc.option(fc.constantFrom(0, 1, 2, 200, 5_000_000_000), { nil: null }),
  session: fc.constantFrom("s0", "s1", "", "\udc00"),
});

export const steps = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(
    fc.oneof(
      { weight: 3, arbitrary: fc.record({ op: fc.constant("add" as const), title, content, by: writer }) },
      {
        weight: 3,
        arbitrary: fc.record({
          op: fc.constant("update" as const),
          title,
          content,
          newTitle: fc.option(title, { nil: undefined }),
          by: writer,
        }),
      },
      { weight: 2, arbitrary: fc.record({ op: fc.constant("delete" as const), title, by: writer }) },
    ),
    { maxLength },
  );

export interface Model {
  readonly entries: readonly Entry[];
  readonly journal: readonly Version[];
  readonly created: number;
}

export const emptyModel: Model = { entries: [], journal: [], created: 0 };

/** The model after a step, or why the step is refused. */
export function stepModel(model: Model, step: Step): Model | "missing" | "taken" {
  const at = model.entries.findIndex((entry) => entry.title === step.title);
  const held = model.entries[at];
  const record = (entry: string, version: number, before: Text | null, after: Text | null): Version[] => [
    ...model.journal,
    { entry, version, op: step.op, before, after, by: step.by },
  ];
  if (step.op === "add") {
    if (held) return "taken";
    const after = { title: step.title, content: step.content };
    const id = `e${model.created + 1}`;
    const entry: Entry = { id, ...after, version: 1, lineage: { origin: step.by, touches: [] } };
    return {
      entries: [...model.entries, entry],
      journal: record(id, 1, null, after),
      created: model.created + 1,
    };
  }
  if (!held) return "missing";
  const before = { title: held.title, content: held.content };
  if (step.op === "delete") {
    return {
      ...model,
      entries: model.entries.filter((entry) => entry !== held),
      journal: record(held.id, held.version + 1, before, null),
    };
  }
  const newTitle = step.newTitle ?? step.title;
  if (model.entries.some((entry) => entry !== held && entry.title === newTitle)) return "taken";
  const after = { title: newTitle, content: step.content };
  const entry: Entry = {
    ...held,
    ...after,
    version: held.version + 1,
    lineage: { origin: held.lineage.origin, touches: [...held.lineage.touches, step.by] },
  };
  return { ...model, entries: model.entries.with(at, entry), journal: record(held.id, entry.version, before, after) };
}

export function stepBank(bank: Bank, step: Step) {
  if (step.op === "add") return addEntry(bank, step, step.by);
  if (step.op === "update") return updateEntry(bank, step, step.by);
  return deleteEntry(bank, step.title, step.by);
}

/** The bank after the steps; refused ones change nothing. */
export function bankAfter(all: readonly Step[], start: Bank = emptyBank): Bank {
  return all.reduce((bank, step) => {
    const written = stepBank(bank, step);
    return written.ok ? written.bank : bank;
  }, start);
}

/** Everything that can be seen of a bank, as plain data. */
export function seen(bank: Bank) {
  const journal = [...journalOf(bank)];
  const ids = [...new Set(journal.map(({ entry }) => entry))];
  const entries = [...entriesOf(bank)].map((entry) => ({
    ...entry,
    lineage: { origin: entry.lineage.origin, touches: [...entry.lineage.touches] },
  }));
  return { entries, journal, versions: ids.map((id) => versionsOf(bank, id)) };
}
