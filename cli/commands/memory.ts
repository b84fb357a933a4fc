/** umagraph memory: look at kept memories, move them, delete them. */
import { existsSync, readFileSync } from "node:fs";
import { z } from "zod";
import { closest } from "../../base/closest.ts";
import { messageOf, UmaError } from "../../base/errors.ts";
import { bankSize, entriesOf } from "../../memory/bank.ts";
import type { MemoryStore, MemorySummary } from "../../memory/store/memory-store.ts";
import { defineCommand, type Invocation } from "../command.ts";
import { unreadChunks } from "../memorize/plan-reading.ts";
import { keyOf, openStore, requireKept, storeFlags } from "../store-flags.ts";

const flags = z.object({
  ...storeFlags,
  version: z.coerce.number().int().min(1).optional().describe("show: an earlier version"),
  recursive: z.boolean().default(false).describe("list: also the namespaces below"),
  yes: z.boolean().default(false).describe("delete: do not ask for the name again"),
  as: z.string().optional().describe("import: the name to import under"),
});
type Given = Invocation<z.infer<typeof flags>>;

export const command = defineCommand({
  name: "memory",
  summary: "list, show, export, import or delete memories",
  usage: "list | show <name> | history <name> | export <name> | import <file> | delete <name> [flags]",
  flags,
  examples: [
    { run: "umagraph memory list", what: "every memory of the namespace" },
    { run: "umagraph memory show trip", what: "core and entries, with where each came from" },
    { run: "umagraph memory export trip > trip.jsonl", what: "the memory with its whole history" },
    { run: "umagraph memory import trip.jsonl --as trip-copy", what: "and back, under another name" },
    { run: "umagraph memory delete trip --yes", what: "the memory and its history, for good" },
  ],
  async run(given) {
    const [action = "list", name] = given.positionals;
    const act = Object.hasOwn(actions, action) ? actions[action as keyof typeof actions] : undefined;
    if (!act) {
      const meant = closest(action, Object.keys(actions));
      throw new UmaError("config", `there is no action "${action}"`, {
        fix: meant ? `did you mean umagraph memory ${meant}?` : `actions: ${Object.keys(actions).join(", ")}`,
      });
    }
    if (action !== "list" && name === undefined) {
      throw new UmaError("config", `${action}: expected ${action === "import" ? "a file" : "a memory's name"}`);
    }
    if (action === "list" && !existsSync(given.flags.store)) return showList([], given);
    const store = openStore(given.flags.store, { mustExist: action !== "import" });
    try {
      return act(store, given, name ?? "");
    } finally {
      store.close();
    }
  },
});

const actions = {
  list: (store: MemoryStore, given: Given) =>
    showList(store.list(given.flags.namespace.split("/"), { recursive: given.flags.recursive }), given),
  show(store: MemoryStore, { flags, terminal }: Given, name: string) {
    const { kept, version } = requireKept(store, keyOf(flags, name), flags.version);
    const { core, bank } = kept.memory;
    const unread = unreadChunks(kept).length;
    terminal.print(
      `memory "${name}" version ${version}: ${bankSize(bank)} entries, ${kept.chunks.length} chunks${unread > 0 ? ` (${unread} still unread)` : ""}, ${kept.documents.length} documents`,
    );
    terminal.print(`core: ${core || "(empty)"}`);
    const entries = [...entriesOf(bank)].map((entry) => {
      const { origin, touches } = entry.lineage;
      const chunks = [...new Set([origin, ...touches].flatMap(({ chunk }) => (chunk === null ? [] : [chunk])))];
      return {
        id: entry.id,
        title: entry.title,
        content: entry.content,
        version: entry.version,
        from: chunks.map((chunk) => ({ chunk: chunk + 1, document: kept.chunks[chunk]?.document ?? null })),
      };
    });
    for (const entry of entries) {
      terminal.print(
        `\n[${entry.title}]  ${entry.from.map((from) => `chunk ${from.chunk} of ${from.document}`).join(", ")}`,
      );
      terminal.print(entry.content);
    }
    terminal.result({
      name,
      version,
      core,
      entries,
      documents: kept.documents.map((document) => document.name),
      chunks: kept.chunks.length,
      unread,
    });
    return 0;
  },
  history(store: MemoryStore, { flags, terminal }: Given, name: string) {
    requireKept(store, keyOf(flags, name));
    const versions = store.history(keyOf(flags, name));
    for (const version of versions)
      terminal.print(`version ${version.version}  ${version.savedAt}  ${version.size} bytes  ${version.note ?? ""}`);
    terminal.result(versions);
    return 0;
  },
  export(store: MemoryStore, { flags }: Given, name: string) {
    requireKept(store, keyOf(flags, name));
    // JSONL is the result either way, so --json changes nothing
    for (const line of store.exportJsonl(keyOf(flags, name))) process.stdout.write(`${JSON.stringify(line)}\n`);
    return 0;
  },
  import(store: MemoryStore, { flags, terminal }: Given, path: string) {
    const lines = readText(path)
      .split("\n")
      .flatMap((line, i) => (line.trim() === "" ? [] : [parseLine(line, `${path}:${i + 1}`)]));
    const imported = store.importJsonl(lines, flags.as === undefined ? {} : { as: keyOf(flags, flags.as) });
    terminal.print(`imported "${imported.id}" at version ${imported.version}`);
    terminal.result(imported);
    return 0;
  },
  delete(store: MemoryStore, { flags, terminal }: Given, name: string) {
    requireKept(store, keyOf(flags, name));
    if (!flags.yes) {
      throw new UmaError("config", `this deletes "${name}" with its whole history`, {
        fix: `umagraph memory delete ${name} --yes`,
      });
    }
    const deleted = store.delete(keyOf(flags, name));
    terminal.print(deleted ? `deleted "${name}"` : `there was no "${name}"`);
    terminal.result({ name, deleted });
    return 0;
  },
};

function showList(found: readonly MemorySummary[], { flags, terminal }: Given): number {
  if (found.length === 0) terminal.print(`no memories in namespace ${flags.namespace}`);
  for (const memory of found)
    terminal.print(
      `${[...memory.namespace, memory.id].join("/")}  version ${memory.version}  ${memory.size} bytes  ${memory.savedAt}`,
    );
  terminal.result(found);
  return 0;
}

function readText(path: string): string {
  try {
    return readFileSync(path === "-" ? 0 : path, "utf8");
  } catch (cause) {
    throw new UmaError("input", `cannot read ${path}: ${messageOf(cause)}`, {
      fix: "give a file made by `umagraph memory export`, or - for standard input",
      cause,
    });
  }
}

function parseLine(line: string, where: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new UmaError("input", `${where}: expected one JSON value per line`, {
      fix: "give a file made by `umagraph memory export`",
    });
  }
}
