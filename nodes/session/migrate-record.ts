/** Session records of older schema versions, brought to the present one. What an old log did not hold is null, never made up. */
import { writeHashes } from "./write-hashes.ts";

type Fields = Record<string, unknown>;

/** Version → what makes the next one of it. */
const steps: Readonly<Record<number, (record: Fields) => Fields>> = {
  1: (record) => ({
    ...record,
    v: 2,
    parent: null,
    trace: null,
    calls: list(record.calls).map((call) => ({
      ...call,
      writes: list(call.writes).map((write) => ({
        ...write,
        hash: writeHashes(write as Parameters<typeof writeHashes>[0]),
        lineage: null,
      })),
    })),
  }),
};

/** Leaves alone what is not a record, and versions that it does not know. */
export function migrateRecord(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  let record = value as Fields;
  for (let step = stepOf(record); step !== undefined; step = stepOf(record)) record = step(record);
  return record;
}

const stepOf = ({ v }: Fields) => (typeof v === "number" ? steps[v] : undefined);
const list = (value: unknown) => (Array.isArray(value) ? (value as Fields[]) : []);
