/** Cuts the datums of one call into bodies the server takes. Datums are drawn one at a time, so a generator is never held whole. */
import { UmaError } from "../../base/errors.ts";
import { checkDatum, type Datum } from "../wire/datum.ts";
import type { Dialect } from "../wire/dialect.ts";
import type { Limits } from "./limits.ts";

export interface Part {
  readonly dialect: Dialect;
  /** Kept to write the part in the other dialect, should this one be refused. */
  readonly datums: readonly Datum[];
  readonly encoded: readonly unknown[];
  readonly size: number;
}

/** Throws `input` for a datum that is none, and for no datums at all. */
export function* partsOf(
  data: Iterable<Datum>,
  dialect: () => Dialect,
  { chunkDatums, chunkBytes }: Limits,
): Generator<Part> {
  let own = dialect();
  let datums: Datum[] = [];
  let encoded: unknown[] = [];
  let size = 0;
  let at = 0;
  for (const datum of data) {
    checkDatum(datum, at++);
    let next = own.encodeDatum(datum);
    if (datums.length > 0 && (datums.length === chunkDatums || size + next.size > chunkBytes)) {
      yield { dialect: own, datums, encoded, size };
      [datums, encoded, size] = [[], [], 0];
      if (own !== dialect()) {
        // the first part has shown which dialect the server reads
        own = dialect();
        next = own.encodeDatum(datum);
      }
    }
    datums.push(datum);
    encoded.push(next.encoded);
    size += next.size;
  }
  if (at === 0) throw new UmaError("input", "expected at least one datum, got none");
  yield { dialect: own, datums, encoded, size };
}
