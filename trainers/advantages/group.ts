/** Which rewards are compared with which: whole tables as one group, or each column as a group of its own. */
import type { Table } from "../rewards/table.ts";
import { type StandardizeOptions, standardize } from "./standardize.ts";

/** One group over every value of every table; the shapes stay. */
export function asOneGroup(tables: readonly Table[], options: StandardizeOptions): Table[] {
  const flat = standardize(tables.flat(2), options);
  let at = 0;
  return tables.map((table) => table.map((row) => row.map(() => flat[at++]!)));
}

/** A group per column, over the rows that reach it; the shape stays. */
export function byColumn(table: Table, options: StandardizeOptions): Table {
  const width = Math.max(0, ...table.map((row) => row.length));
  const columns = Array.from({ length: width }, (_, j) =>
    standardize(
      table.map((row) => row[j] ?? null),
      options,
    ),
  );
  return table.map((row, i) => row.map((_, j) => columns[j]![i]!));
}
