/**
 * Files, folders, standard input or bytes → documents. No model, no network; the same input gives the same documents.
 *
 * In a folder, or among several inputs, a file that cannot be read is reported and the others are read; a single bad file
 * is an error.
 */
import { basename, normalize } from "node:path";
import { UmaError } from "../../base/errors.ts";
import type { Document, ReadOptions, Refusal } from "./document.ts";
import { slackPeople } from "./json/slack.ts";
import { type FoundFile, listFiles } from "./list-files.ts";
import { readFile, readStream, statOf, withinLimit } from "./read-bytes.ts";
import { readDocument } from "./read-document.ts";

/** A path, `-` for standard input, or bytes under a name. */
export type InputSource = string | { readonly name: string; readonly bytes: Uint8Array };

export interface ReadInputOptions extends ReadOptions {
  /** Called before each file, for progress. */
  readonly onFile?: (name: string, index: number, count: number) => void;
  readonly signal?: AbortSignal;
}

export interface ReadResult {
  readonly documents: readonly Document[];
  /** What was not read, with one line of reason each. */
  readonly refused: readonly Refusal[];
}

const defaultMaxBytes = 256 * 1024 * 1024;

interface Item {
  readonly name: string;
  /** The path as it was given, down to the file. */
  readonly place: string;
  readonly load: () => Promise<Uint8Array>;
  readonly people?: ReadonlyMap<string, string> | undefined;
}

/** Throws `input` for a path that does not exist, an input without files, or a single input that cannot be read. */
export async function readInput(sources: readonly InputSource[], options: ReadInputOptions = {}): Promise<ReadResult> {
  const maxBytes = options.maxBytes ?? defaultMaxBytes;
  const refused: Refusal[] = [];
  const items: Item[] = [];
  let folders = 0;
  for (const source of sources) {
    const found = await itemsOf(source, maxBytes);
    if (found.isFolder) folders++;
    for (const item of found.items) items.push(item);
    for (const one of found.skipped) refused.push(one);
  }
  if (items.length === 0) {
    const why = refused[0] === undefined ? "" : ` (${refused[0].name}: ${refused[0].reason})`;
    throw new UmaError("input", `expected at least one file to read, found none${why}`, {
      fix: "name a file, a folder with files, or - for standard input; hidden files and node_modules are passed over",
    });
  }
  const distinct = distinctItems(items);
  const alone = distinct.length === 1 && folders === 0;
  const documents: Document[] = [];
  for (const [index, item] of distinct.entries()) {
    if (options.signal?.aborted) throw new UmaError("cancelled", "reading was cancelled");
    options.onFile?.(item.name, index, distinct.length);
    try {
      documents.push(readDocument(await item.load(), { ...options, name: item.name, people: item.people }));
    } catch (error) {
      if (!(error instanceof UmaError) || error.code === "config") throw error;
      if (alone) throw new UmaError(error.code, `${item.name}: ${error.message}`, { cause: error, fix: error.fix });
      refused.push({ name: item.name, reason: `${error.message}${error.fix === undefined ? "" : `; ${error.fix}`}` });
    }
  }
  return { documents, refused };
}

async function itemsOf(
  source: InputSource,
  maxBytes: number,
): Promise<{ items: Item[]; skipped: readonly Refusal[]; isFolder: boolean }> {
  const single = (item: Item) => ({ items: [item], skipped: [], isFolder: false });
  if (typeof source !== "string") {
    const { name, bytes } = source;
    return single({ name, place: name, load: async () => withinLimit(bytes, bytes.length, maxBytes) });
  }
  if (source === "-") return single({ name: "stdin", place: "-", load: () => readStream(process.stdin, maxBytes) });
  const place = normalize(source).replaceAll("\\", "/");
  const stats = await statOf(source);
  if (!stats.isDirectory()) return single({ name: basename(source), place, load: () => readFile(source, maxBytes) });
  const { files, skipped } = await listFiles(source);
  const slack = await exportPeople(files, maxBytes);
  const items = files
    .filter((file) => file !== slack?.file)
    .map(({ path, name }) => ({
      name,
      place: `${place.replace(/\/$/, "")}/${name}`,
      load: () => readFile(path, maxBytes),
      people: slack?.people,
    }));
  const used = slack
    ? [{ name: slack.file.name, reason: "a Slack export's list of people: used to name the speakers" }]
    : [];
  return { items, skipped: [...skipped, ...used], isFolder: true };
}

/** Several inputs may hold files of one name: then the paths that were given tell them apart. Named twice is read once. */
function distinctItems(items: readonly Item[]): Item[] {
  const once = [...new Map(items.map((item) => [item.place, item])).values()];
  const count = new Map<string, number>();
  for (const { name } of once) count.set(name, (count.get(name) ?? 0) + 1);
  return once.map((item) => (count.get(item.name) === 1 ? item : { ...item, name: item.place }));
}

async function exportPeople(files: readonly FoundFile[], maxBytes: number) {
  const file = files.find(({ name }) => name === "users.json");
  if (file === undefined) return null;
  try {
    const people = slackPeople(JSON.parse(Buffer.from(await readFile(file.path, maxBytes)).toString("utf8")));
    return people === null ? null : { file, people };
  } catch {
    return null;
  }
}
