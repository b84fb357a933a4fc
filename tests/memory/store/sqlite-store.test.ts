import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it } from "vitest";
import { UmaError } from "../../../base/errors.ts";
import { rng } from "../../../base/rng.ts";
import { addEntry } from "../../../memory/bank.ts";
import { memoryCodec } from "../../../memory/codec.ts";
import { emptyMemory } from "../../../memory/memory.ts";
import { openSqliteStore } from "../../../memory/store/sqlite-store.ts";
import { memoryStoreContract } from "../../contracts/memory-store.ts";

const folder = mkdtempSync(join(tmpdir(), "umagraph-store-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let files = 0;
const newPath = () => join(folder, `${files++}.sqlite`);

const codec = { name: "text", version: 1 };
const key = { namespace: ["acme"], id: "trip" };
const textBytes = (text: string) => Buffer.from(text);

function storeError(act: () => unknown): UmaError {
  try {
    act();
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(UmaError);
    expect((thrown as UmaError).fix).toBeTruthy();
    return thrown as UmaError;
  }
  throw new Error("nothing was thrown");
}

memoryStoreContract("SQLite in a file", () => openSqliteStore(newPath()));
memoryStoreContract("SQLite in memory", () => openSqliteStore(":memory:"));

describe("the SQLite store's file", () => {
  it("is made with its folder and keeps memories for the next process", () => {
    const path = join(folder, "not", "there", "yet.sqlite");
    const store = openSqliteStore(path);
    store.save(key, { bytes: textBytes("x"), codec }, { expectedVersion: 0 });
    store.close();
    expect(readdirSync(join(folder, "not", "there"))).toEqual(["yet.sqlite"]);
    const again = openSqliteStore(path);
    expect(Buffer.from(again.load(key)!.bytes).toString()).toBe("x");
    again.close();
  });

  it("is safe by its settings: write-ahead log, full sync, foreign keys, secure deletion", () => {
    const path = newPath();
    const store = openSqliteStore(path);
    const other = new Database(path);
    expect(other.pragma("journal_mode", { simple: true })).toBe("wal");
    expect(other.prepare("PRAGMA foreign_key_list(version)").get()).toMatchObject({
      table: "memory",
      on_delete: "CASCADE",
    });
    other.close();
    store.close();
  });

  it("of a newer format is refused, with both formats named", () => {
    const path = newPath();
    openSqliteStore(path).close();
    const db = new Database(path);
    db.pragma("user_version = 9");
    db.close();
    const error = storeError(() => openSqliteStore(path));
    expect(error.code).toBe("store");
    expect(error.message).toContain("store format 9; this version of umagraph reads format 1");
    expect(error.fix).toContain("update umagraph");
  });

  it("of another program is refused and left as it is", () => {
    const path = newPath();
    const db = new Database(path);
    db.exec("CREATE TABLE bookmarks (url TEXT)");
    db.close();
    const before = readFileSync(path);
    expect(storeError(() => openSqliteStore(path)).message).toContain("database of another program");
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  it("that is no database is refused and left as it is", () => {
    const path = newPath();
    writeFileSync(path, "these are my notes, not a database\n".repeat(200));
    const error = storeError(() => openSqliteStore(path));
    expect(error.code).toBe("store");
    expect(error.message).toContain("damaged or is not a memory store");
    expect(readFileSync(path, "utf8")).toContain("these are my notes");
  });

  it("that is damaged somewhere gives an error or the right bytes, never wrong ones", () => {
    const path = newPath();
    const store = openSqliteStore(path);
    const random = rng("damage");
    const texts = Array.from({ length: 6 }, (_, at) =>
      Buffer.from(Array.from({ length: 9_000 }, () => random.int(0, 255 - at))),
    );
    for (const [version, bytes] of texts.entries()) store.save(key, { bytes, codec }, { expectedVersion: version });
    store.close();
    const whole = readFileSync(path);
    let errors = 0;
    let right = 0;
    for (let round = 0; round < 60; round++) {
      const damaged = Buffer.from(whole);
      const at = random.int(100, damaged.length - 600);
      for (let byte = at; byte < at + 500; byte++) damaged[byte] = random.int(0, 255);
      const copy = newPath();
      writeFileSync(copy, round % 10 === 0 ? whole.subarray(0, at) : damaged);
      try {
        const opened = openSqliteStore(copy);
        try {
          for (const [version, bytes] of texts.entries()) {
            const loaded = opened.load(key, { version: version + 1 });
            if (loaded === null) continue;
            expect(bytes.equals(loaded.bytes)).toBe(true);
            right++;
          }
        } finally {
          opened.close();
        }
      } catch (thrown) {
        if (!(thrown instanceof UmaError)) throw thrown;
        expect(thrown.code).toBe("store");
        errors++;
      }
    }
    expect(errors).toBeGreaterThan(20);
    expect(right).toBeGreaterThan(20);
  });

  it("costs what is new in each version, not a copy of the whole", () => {
    const path = newPath();
    const store = openSqliteStore(path);
    let memory = emptyMemory;
    let copies = 0;
    for (let version = 0; version < 200; version++) {
      let { bank } = memory;
      for (let at = 0; at < 8; at++) {
        const text = { title: `chunk ${version}, note ${at}`, content: `${rng(version, at).next()} `.repeat(5) };
        const written = addEntry(bank, text, { chunk: version, session: `s${version}` });
        if (written.ok) bank = written.bank;
      }
      memory = { core: `after chunk ${version} `.repeat(30), bank };
      const bytes = memoryCodec.encode(memory);
      copies += bytes.length;
      store.save(key, { bytes, codec: memoryCodec }, { expectedVersion: version });
    }
    for (const version of [1, 77, 200]) {
      const loaded = store.load(key, { version })!;
      expect(memoryCodec.decode(loaded.bytes).core).toContain(`after chunk ${version - 1} `);
    }
    store.close();
    expect(copies).toBeGreaterThan(15_000_000);
    expect(statSync(path).size).toBeLessThan(copies / 8);
  });
});

describe("deleting from the SQLite store", () => {
  const filesOf = (path: string) =>
    readdirSync(folder)
      .map((name) => join(folder, name))
      .filter((file) => file.startsWith(path))
      .map((file) => readFileSync(file));
  const isIn = (files: readonly Buffer[], word: string) => files.some((bytes) => bytes.includes(word));

  it("leaves no byte of the memory, its names and its notes in any file, among many others", () => {
    const path = newPath();
    const store = openSqliteStore(path);
    const of = (at: number) => ({ namespace: ["n", `SPACE${at}.`], id: `NAME${at}.` });
    const words = (at: number) => ["SECRET", "SPACE", "NAME", "NOTE"].map((word) => `${word}${at}.`);
    // so many that SQLite moves rows between pages, and leaves copies behind
    const count = 60;
    for (let version = 0; version < 3; version++) {
      for (let at = 0; at < count; at++) {
        const bytes = textBytes(`SECRET${at}. `.repeat(400).slice(0, 50 + ((at * 104_729) % 300)));
        store.save(of(at), { bytes, codec, note: `NOTE${at}.` }, { expectedVersion: version });
      }
    }
    const before = filesOf(path);
    for (let at = 0; at < count; at++) for (const word of words(at)) expect(isIn(before, word)).toBe(true);
    for (let at = 0; at < count; at++) {
      if (at % 2 === 0) continue;
      expect(store.delete(of(at))).toBe(true);
      const files = filesOf(path);
      for (const word of words(at)) expect(isIn(files, word) ? word : "").toBe("");
    }
    const after = filesOf(path);
    for (let at = 0; at < count; at += 2) for (const word of words(at)) expect(isIn(after, word)).toBe(true);
    store.close();
  });

  it("that could not finish says so, and is finished when the store is opened again", () => {
    const path = newPath();
    const store = openSqliteStore(path, { busyTimeoutMs: 50 });
    store.save(key, { bytes: textBytes("SECRET "), codec }, { expectedVersion: 0 });
    const reader = new Database(path);
    reader.exec("BEGIN");
    reader.prepare("SELECT count(*) FROM memory").get();
    const error = storeError(() => store.delete(key));
    expect(error.message).toContain("deleted, but the bytes are still in the file");
    expect(store.load(key)).toBeNull();
    expect(isIn(filesOf(path), "SECRET ")).toBe(true);
    reader.exec("COMMIT");
    reader.close();
    store.close();
    const again = openSqliteStore(path);
    expect(isIn(filesOf(path), "SECRET ")).toBe(false);
    again.close();
  });
});

describe("a medium that fails", () => {
  it("a full disk: a clear error, nothing half-written, and the store goes on when there is space", () => {
    const path = newPath();
    const small = openSqliteStore(path, { maxBytes: 200_000 });
    const random = rng("full");
    const noise = (length: number) => Buffer.from(Array.from({ length }, () => random.int(0, 255)));
    const first = noise(20_000);
    small.save(key, { bytes: first, codec }, { expectedVersion: 0 });
    const error = storeError(() => small.save(key, { bytes: noise(400_000), codec }, { expectedVersion: 1 }));
    expect(error.code).toBe("store");
    expect(error.message).toContain("there is no space left");
    expect(small.history(key)).toHaveLength(1);
    expect(first.equals(small.load(key)!.bytes)).toBe(true);
    expect(small.save(key, { bytes: noise(20_000), codec }, { expectedVersion: 1 })).toBe(2);
    small.close();
    const roomy = openSqliteStore(path);
    expect(roomy.save(key, { bytes: noise(400_000), codec }, { expectedVersion: 2 })).toBe(3);
    roomy.close();
  });

  it("a path that cannot be a file: what is wrong and what to do", () => {
    const notAFolder = join(folder, "file.txt");
    writeFileSync(notAFolder, "text");
    for (const path of [join(notAFolder, "a.sqlite"), folder]) {
      const error = storeError(() => openSqliteStore(path));
      expect(error.code).toBe("store");
      expect(error.message).toContain(path);
      expect(error.message).toContain("cannot be written");
    }
  });
});
