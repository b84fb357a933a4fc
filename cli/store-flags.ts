/** Where memories are kept and which one is meant. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { z } from "zod";
import { UmaError } from "../base/errors.ts";
import { makeFolder } from "../base/make-folder.ts";
import { type KeptMemory, keptMemoryCodec } from "../memory/kept-memory.ts";
import type { MemoryKey, MemoryStore } from "../memory/store/memory-store.ts";
import { openSqliteStore } from "../memory/store/sqlite-store.ts";

export const storeFlags = {
  store: z.string().default(".umagraph/memories.db").describe("The file that keeps memories"),
  namespace: z.string().default("default").describe("Namespace of the memory; segments separated by /"),
};

export const memoryFlag = {
  memory: z.string().min(1).describe("The memory's name"),
};

/** A command that only looks does not make a store where there is none. */
export function openStore(path: string, { mustExist = false } = {}): MemoryStore {
  if (mustExist && !existsSync(path)) {
    throw new UmaError("input", `there are no memories here: no file ${path}`, {
      fix: "make one with umagraph memorize <file> --memory <name>, or say where they are with --store",
    });
  }
  makeFolder(dirname(path), "choose a writable place with --store");
  return openSqliteStore(path);
}

export const keyOf = (flags: { namespace: string }, id: string): MemoryKey => ({
  namespace: flags.namespace.split("/"),
  id,
});

export function loadKept(
  store: MemoryStore,
  key: MemoryKey,
  version?: number,
): { kept: KeptMemory; version: number } | null {
  const stored = store.load(key, version === undefined ? {} : { version });
  if (!stored) return null;
  if (stored.codec.name !== keptMemoryCodec.name || stored.codec.version !== keptMemoryCodec.version) {
    throw new UmaError(
      "input",
      `memory "${key.id}" is kept as ${stored.codec.name} ${stored.codec.version}, expected ${keptMemoryCodec.name} ${keptMemoryCodec.version}`,
    );
  }
  return { kept: keptMemoryCodec.decode(stored.bytes), version: stored.version };
}

/** Throws `input` with the names that there are. */
export function requireKept(
  store: MemoryStore,
  key: MemoryKey,
  version?: number,
): { kept: KeptMemory; version: number } {
  const found = loadKept(store, key, version);
  if (found) return found;
  const names = store.list(key.namespace).map((summary) => summary.id);
  const which = version === undefined ? "" : ` at version ${version}`;
  throw new UmaError("input", `there is no memory "${key.id}"${which} in namespace ${key.namespace.join("/")}`, {
    fix:
      names.length === 0
        ? "make one with: umagraph memorize <file> --memory <name>"
        : `memories here: ${names.slice(0, 20).join(", ")}`,
  });
}
