/**
 * The memory after a session, from its record alone: what a killed run is resumed from, and what `inspect` shows.
 *
 * Folding a trajectory's memory records from the empty memory gives the live memory, ids and lineage included.
 */
import { UmaError } from "../../base/errors.ts";
import { addEntry, type Bank, deleteEntry, updateEntry, type Writer, type Written } from "../../memory/bank.ts";
import type { Memory } from "../../memory/memory.ts";
import type { SessionRecord } from "./record.ts";

export function memoryAfter(memory: Memory, record: SessionRecord): Memory {
  if (record.stage !== "memory" || record.end === "error" || record.end === "cancelled") return memory;
  let { bank } = memory;
  for (const write of record.calls.flatMap((call) => call.writes)) {
    const written = redo(bank, write, { chunk: write.chunk, session: record.id });
    if (!written.ok || written.entry.id !== write.entry || written.version.version !== write.version) {
      throw new UmaError(
        "input",
        `${record.id}: the recorded ${write.op} of entry ${write.entry} does not fit the memory`,
        {
          fix: "the log lacks an earlier session or was edited; start the run again in a new folder",
        },
      );
    }
    bank = written.bank;
  }
  return { core: record.core?.after ?? memory.core, bank };
}

type Write = SessionRecord["calls"][number]["writes"][number];

function redo(bank: Bank, { op, before, after }: Write, by: Writer): Written {
  if (op === "delete") return deleteEntry(bank, before!.title, by);
  if (op === "add") return addEntry(bank, after!, by);
  const { title, content } = after!;
  return updateEntry(bank, { title: before!.title, content, ...(title !== before!.title && { newTitle: title }) }, by);
}
