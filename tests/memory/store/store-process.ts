/** A process that uses a store, for the tests that need several of them or one that dies. Run as `… <path> <mode>`. */
import { createInterface } from "node:readline";
import { UmaError } from "../../../base/errors.ts";
import { rng } from "../../../base/rng.ts";
import type { MemoryStore } from "../../../memory/store/memory-store.ts";
import { openSqliteStore } from "../../../memory/store/sqlite-store.ts";

export const key = { namespace: ["shared"], id: "memory" };
export const codec = { name: "text", version: 1 };

/** What version n holds: long, mostly like version n - 1, and known to every process. */
export function bytesOf(version: number): Uint8Array {
  const random = rng("store-process", version);
  return Buffer.concat([
    Buffer.alloc(100_000, "the same in every version. "),
    Buffer.from(Array.from({ length: 3_000 }, () => random.int(0, 255))),
  ]);
}

/** What an attempt came to, as one word or an error's code and text. */
const outcome = (act: () => unknown): string => {
  try {
    return `ok ${act()}`;
  } catch (thrown) {
    if (thrown instanceof UmaError) return `${thrown.code} ${thrown.message}`;
    throw thrown;
  }
};

const save = (store: MemoryStore, bytes: Uint8Array, expectedVersion: number) =>
  store.save(key, { bytes, codec }, { expectedVersion });

const modes: Record<string, (path: string) => void | Promise<void>> = {
  /** One attempt for each version that comes in, as fast as it can. */
  async race(path) {
    const store = openSqliteStore(path);
    console.log("ready");
    for await (const line of createInterface({ input: process.stdin })) {
      console.log(outcome(() => save(store, bytesOf(Number(line)), Number(line))));
    }
    store.close();
  },

  /** Adds 1 to the number in the memory, thirty times, again whenever it lost. */
  count(path) {
    const store = openSqliteStore(path);
    for (let done = 0; done < 30; ) {
      const held = store.load(key);
      const next = Number(held ? Buffer.from(held.bytes).toString() : "0") + 1;
      try {
        save(store, Buffer.from(String(next)), held?.version ?? 0);
        done++;
      } catch (thrown) {
        if (!(thrown instanceof UmaError && thrown.code === "conflict")) throw thrown;
      }
    }
    store.close();
  },

  /** Saves version after version, and says each, until it is killed. */
  forever(path) {
    const store = openSqliteStore(path);
    for (let version = store.load(key)?.version ?? 0; ; version++) {
      save(store, bytesOf(version), version);
      process.stdout.write(`${version + 1}\n`);
    }
  },

  /** Saves until it fails, then says how it failed and what the file holds after opening it again. */
  untilFull(path) {
    const store = openSqliteStore(path);
    let saved = 0;
    let error = "";
    const noise = (version: number) => Buffer.concat(Array.from({ length: 10 }, (_, at) => bytesOf(version * 10 + at)));
    for (; error === ""; saved++) {
      const result = outcome(() => save(store, noise(saved), saved));
      if (!result.startsWith("ok")) error = result;
    }
    store.close();
    const again = openSqliteStore(path);
    const versions = again
      .history(key)
      .map(({ version }) => Buffer.from(noise(version - 1)).equals(again.load(key, { version })!.bytes));
    again.close();
    console.log(JSON.stringify({ saved: saved - 1, error, versions }));
  },

  /** Tries to write where it may not. */
  forbidden(path) {
    console.log(
      outcome(() => {
        const store = openSqliteStore(path, { busyTimeoutMs: 100 });
        return save(store, bytesOf(0), 0);
      }),
    );
  },
};

const [, script, path, mode] = process.argv;
if (script === import.meta.filename && path !== undefined) await modes[mode ?? ""]!(path);
