/**
 * `npm run bench -- bank`: the bank at 100,000 entries: 10,000 snapshots, all kept, each followed by 10 writes; beside a plain Map that is copied
 * for each snapshot, in the same run and with the same writes. The Map's 10,000 snapshots are extrapolated from fewer.
 */
import { cpus } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type Rng, rng } from "../base/rng.ts";
import {
  addEntry,
  type Bank,
  deleteEntry,
  emptyBank,
  getEntry,
  listTitles,
  similarTitles,
  updateEntry,
  type Written,
} from "../memory/bank.ts";
import { memoryCodec } from "../memory/codec.ts";

const ENTRIES = 100_000;
const SNAPSHOTS = 10_000;
const WRITES = 10;
const MAP_SNAPSHOTS = 25;
const READS = 100_000;
const LISTINGS = 20;

export interface Measure {
  readonly name: string;
  readonly value: number;
  readonly unit: "µs" | "ms" | "bytes" | "s";
  /** The same with a copied Map; null where that makes no sense. */
  readonly map: number | null;
  /** map / value: how many times the bank is ahead. */
  readonly ratio: number | null;
  readonly note: string | null;
}

export interface BankBench {
  readonly machine: string;
  readonly entries: number;
  readonly snapshots: number;
  readonly writes: number;
  readonly measures: readonly Measure[];
}

export async function run(options: { json: boolean }): Promise<BankBench> {
  const result: BankBench = {
    machine: `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} cores, Node ${process.versions.node}`,
    entries: ENTRIES,
    snapshots: SNAPSHOTS,
    writes: WRITES,
    measures: measureAll(),
  };
  console.log(options.json ? JSON.stringify(result) : table(result));
  return result;
}

function table({ machine, measures }: BankBench): string {
  const cells = measures.map(({ name, value, unit, map, ratio, note }) => [
    name,
    `${digits(value)} ${unit}`,
    map === null ? "" : `${digits(map)} ${unit}`,
    ratio === null ? "" : `${digits(ratio)}×`,
    note ?? "",
  ]);
  const rows = [["", "bank", "copied Map", "Map / bank", ""], ...cells];
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const lines = rows.map((row) =>
    row
      .map((cell, at) => (at === 0 || at === 4 ? cell.padEnd(widths[at]!) : cell.padStart(widths[at]!)))
      .join("  ")
      .trimEnd(),
  );
  return [
    `bank: ${ENTRIES} entries, ${SNAPSHOTS} snapshots kept, ${WRITES} writes after each; CPU time`,
    machine,
    "",
    ...lines,
  ].join("\n");
}

function measureAll(): Measure[] {
  const measures: Measure[] = [];
  const add = (
    name: string,
    unit: Measure["unit"],
    value: number,
    map: number | null = null,
    note: string | null = null,
  ) => measures.push({ name, value, unit, map, ratio: map === null ? null : map / value, note });
  const extrapolated = `Map from ${MAP_SNAPSHOTS} snapshots`;

  const titles = Array.from({ length: ENTRIES }, (_, at) => `2024-03-${(at % 28) + 1} expense ${at}`);
  const contentOf = (at: number) => `Transportation: ${at}.50, paid by card`;

  let bank = emptyBank;
  const build = timed(() => {
    for (const [at, title] of titles.entries()) bank = must(addEntry(bank, { title, content: contentOf(at) }, by(at)));
  });
  const map = new Map<string, string>();
  const buildMap = timed(() => {
    for (const [at, title] of titles.entries()) map.set(title, contentOf(at));
  });
  add("add, building", "µs", (build / ENTRIES) * 1e3, (buildMap / ENTRIES) * 1e3, "Map: in place, no history");

  const full = bank;
  const ofBank = snapshots(SNAPSHOTS, (keep) => {
    const random = rng("bench", "bank", "writes");
    let held = full;
    for (let snapshot = 0; snapshot < SNAPSHOTS; snapshot++) {
      keep(held);
      for (let write = 0; write < WRITES; write++) held = writeBank(held, titles, random, snapshot);
    }
  });
  const ofMap = snapshots(MAP_SNAPSHOTS, (keep) => {
    const random = rng("bench", "bank", "writes");
    let held = map;
    for (let snapshot = 0; snapshot < MAP_SNAPSHOTS; snapshot++) {
      keep(held);
      held = new Map(held);
      for (let write = 0; write < WRITES; write++) writeMap(held, titles, random, snapshot);
    }
  });
  add("write, with its share of a snapshot", "µs", (ofBank.ms / WRITES) * 1e3, (ofMap.ms / WRITES) * 1e3, extrapolated);
  add("bytes per snapshot and its writes", "bytes", ofBank.bytes, ofMap.bytes, extrapolated);
  add(`all ${SNAPSHOTS} snapshots`, "s", (ofBank.ms * SNAPSHOTS) / 1e3, (ofMap.ms * SNAPSHOTS) / 1e3, extrapolated);

  const random = rng("bench", "bank", "reads");
  const asked = Array.from({ length: READS }, () => random.pick(titles));
  const each = (act: (title: string, at: number) => unknown) =>
    (timed(() => {
      for (const [at, title] of asked.entries()) act(title, at);
    }) /
      READS) *
    1e3;
  add(
    "get",
    "µs",
    each((title) => getEntry(full, title)),
    each((title) => map.get(title)),
  );
  add(
    "update, from one snapshot",
    "µs",
    each((title) => updateEntry(full, { title, content: "x" }, by(1))),
  );
  add(
    "rename, from one snapshot",
    "µs",
    each((title) => updateEntry(full, { title, content: "x", newTitle: "new" }, by(1))),
  );
  add(
    "delete, from one snapshot",
    "µs",
    each((title) => deleteEntry(full, title, by(1))),
  );
  add(
    "add, from one snapshot",
    "µs",
    each((_, at) => addEntry(full, { title: `new ${at}`, content: "x" }, by(1))),
  );

  let touched = full;
  const touch = each((_, at) => {
    touched = must(updateEntry(touched, { title: titles[7]!, content: String(at) }, by(at)));
  });
  add(`update one entry ${READS} times`, "µs", touch);

  const listing = (act: () => unknown) =>
    timed(() => {
      for (let round = 0; round < LISTINGS; round++) act();
    }) / LISTINGS;
  const filterMap = () => [...map.keys()].filter((title) => title.includes("expense 777"));
  add(
    "list all titles",
    "ms",
    listing(() => listTitles(full)),
    listing(() => [...map.keys()]),
  );
  add(
    "list with a filter, limit 100",
    "ms",
    listing(() => listTitles(full, { filter: "expense 777", limit: 100 })),
    listing(filterMap),
  );
  add(
    "similar titles of one that is not there",
    "ms",
    listing(() => similarTitles(full, "2024-03-07 Expense 42x", 3)),
  );

  let bytes: Uint8Array = new Uint8Array();
  add(
    "encode",
    "ms",
    timed(() => {
      bytes = memoryCodec.encode({ core: "", bank: full });
    }),
  );
  add(
    "decode",
    "ms",
    timed(() => memoryCodec.decode(bytes)),
  );
  add("encoded, bytes per entry", "bytes", bytes.length / ENTRIES);
  return measures;
}

const by = (at: number) => ({ chunk: at % 500, session: `session-${at % 500}` });

/** Six in ten updates, one rename, two adds, one delete; what is gone already is skipped by both. */
function writeBank(bank: Bank, titles: readonly string[], random: Rng, snapshot: number): Bank {
  const { kind, title } = draw(titles, random);
  const content = `changed in ${snapshot}`;
  const written =
    kind < 6
      ? updateEntry(bank, { title, content }, by(snapshot))
      : kind < 7
        ? updateEntry(bank, { title, content, newTitle: `${title} ${snapshot}` }, by(snapshot))
        : kind < 9
          ? addEntry(bank, { title: `${title}, ${snapshot}.${kind}`, content }, by(snapshot))
          : deleteEntry(bank, title, by(snapshot));
  return written.ok ? written.bank : bank;
}

function writeMap(map: Map<string, string>, titles: readonly string[], random: Rng, snapshot: number): void {
  const { kind, title } = draw(titles, random);
  const content = `changed in ${snapshot}`;
  if (kind >= 7 && kind < 9) map.set(`${title}, ${snapshot}.${kind}`, content);
  else if (!map.has(title)) return;
  else if (kind < 6) map.set(title, content);
  else {
    map.delete(title);
    if (kind < 7) map.set(`${title} ${snapshot}`, content);
  }
}

const draw = (titles: readonly string[], random: Rng) => ({ kind: random.int(0, 9), title: random.pick(titles) });

function must(written: Written): Bank {
  if (!written.ok) throw new Error(written.hint);
  return written.bank;
}

/** Milliseconds and retained bytes for one of `count` snapshots, all of which are still held when bytes are taken. */
function snapshots(count: number, act: (keep: (snapshot: unknown) => void) => void): { ms: number; bytes: number } {
  const kept: unknown[] = [];
  const before = heapBytes();
  const ms = timed(() => act((snapshot) => kept.push(snapshot)));
  const bytes = heapBytes() - before;
  if (kept.length !== count) throw new Error(`expected ${count} snapshots, got ${kept.length}`);
  return { ms: ms / count, bytes: bytes / count };
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

function heapBytes(): number {
  collectGarbage();
  collectGarbage();
  return process.memoryUsage().heapUsed;
}

/** CPU milliseconds of this process: on a machine that does other things too, steadier than the clock. */
function timed(act: () => unknown): number {
  const start = process.cpuUsage();
  act();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e3;
}

const digits = (value: number) => (value >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3));

if (process.argv[1] === import.meta.filename) await run({ json: process.argv.includes("--json") });
