/** What every `MemoryStore` must do. Call it from a test file with a way to open a fresh, empty store. */
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { UmaError } from "../../base/errors.ts";
import { memoryCodec } from "../../memory/codec.ts";
import { emptyMemory } from "../../memory/memory.ts";
import type { MemoryKey, MemoryStore } from "../../memory/store/memory-store.ts";

export function memoryStoreContract(name: string, open: () => MemoryStore): void {
  describe(`${name} as a memory store`, () => {
    const opened: MemoryStore[] = [];
    const fresh = () => {
      const store = open();
      opened.push(store);
      return store;
    };
    afterEach(() => {
      for (const store of opened.splice(0)) store.close();
    });

    const codec = { name: "text", version: 3 };
    const textBytes = (text: string) => new TextEncoder().encode(text);
    const key = (id: string, ...namespace: string[]): MemoryKey => ({ namespace, id });
    const save = (store: MemoryStore, at: MemoryKey, text: string, expectedVersion = 0, note: string | null = null) =>
      store.save(at, { bytes: textBytes(text), codec, note }, { expectedVersion });
    const textOf = (store: MemoryStore, at: MemoryKey, version?: number) => {
      const stored = store.load(at, { version });
      return stored && new TextDecoder().decode(stored.bytes);
    };
    const idsIn = (store: MemoryStore, namespace: string[], recursive = false) =>
      store.list(namespace, { recursive }).map(({ id }) => id);

    it("gives back what was saved, byte for byte, with its codec, time and note", () => {
      const store = fresh();
      const bytes = Uint8Array.from({ length: 100_000 }, (_, at) => (at * 2_654_435_761) >>> 24);
      const before = new Date().toISOString();
      expect(store.save(key("trip", "acme"), { bytes, codec, note: "first" }, { expectedVersion: 0 })).toBe(1);
      const stored = store.load(key("trip", "acme"))!;
      expect(stored).toMatchObject({
        namespace: ["acme"],
        id: "trip",
        version: 1,
        codec,
        note: "first",
        size: 100_000,
      });
      expect(Buffer.from(bytes).equals(stored.bytes)).toBe(true);
      expect(stored.savedAt >= before && stored.savedAt <= new Date().toISOString()).toBe(true);
    });

    it("keeps empty and repetitive bytes, and any bytes at all", () => {
      const store = fresh();
      fc.assert(
        fc.property(fc.uint8Array({ maxLength: 3_000 }), fc.integer({ min: 0, max: 12 }), (part, times) => {
          const bytes = Buffer.concat(Array.from({ length: times }, () => part));
          const version = store.history(key("any")).length;
          store.save(key("any"), { bytes, codec }, { expectedVersion: version });
          expect(bytes.equals(store.load(key("any"))!.bytes)).toBe(true);
        }),
        { numRuns: 40, seed: 1 },
      );
    });

    it("is not changed through what was given to it or what it returned", () => {
      const store = fresh();
      const bytes = textBytes("mine");
      store.save(key("a"), { bytes, codec }, { expectedVersion: 0 });
      bytes.fill(0);
      store.load(key("a"))!.bytes.fill(0);
      expect(textOf(store, key("a"))).toBe("mine");
    });

    it("keeps a history, oldest first, from which every version can be loaded", () => {
      const store = fresh();
      for (let version = 0; version < 5; version++)
        save(store, key("a"), `text ${version}`, version, `note ${version}`);
      expect(store.history(key("a")).map(({ version, note }) => [version, note])).toEqual([
        [1, "note 0"],
        [2, "note 1"],
        [3, "note 2"],
        [4, "note 3"],
        [5, "note 4"],
      ]);
      for (let version = 1; version <= 5; version++)
        expect(textOf(store, key("a"), version)).toBe(`text ${version - 1}`);
      expect(textOf(store, key("a"))).toBe("text 4");
      expect(store.list([])).toHaveLength(1);
    });

    it("says null, nothing or false where there is no memory", () => {
      const store = fresh();
      save(store, key("a"), "x");
      expect(store.load(key("b"))).toBeNull();
      for (const version of [0, 2, -1, 1.5]) expect(store.load(key("a"), { version })).toBeNull();
      expect(store.history(key("b"))).toEqual([]);
      expect(store.delete(key("b"))).toBe(false);
      expect(store.list(["a"])).toEqual([]);
    });

    it("refuses a save from another version than the stored one, naming both and what to do, and saves nothing", () => {
      const store = fresh();
      const refusal = (expectedVersion: number, at = key("trip", "acme")) => {
        try {
          save(store, at, "lost", expectedVersion);
        } catch (thrown) {
          return thrown as UmaError;
        }
        throw new Error("saved");
      };
      save(store, key("trip", "acme"), "1");
      save(store, key("trip", "acme"), "2", 1);
      const stale = refusal(1);
      expect(stale.code).toBe("conflict");
      expect(stale.message).toBe('memory "trip" in ["acme"] is at version 2; expected version 1');
      expect(stale.fix).toContain("load version 2");
      expect(refusal(0).message).toContain("exists already, at version 2; expected version 0");
      expect(refusal(7).message).toContain("is at version 2; expected version 7");
      expect(refusal(1, key("other")).message).toContain("does not exist (version 0); expected version 1");
      expect(store.history(key("trip", "acme"))).toHaveLength(2);
      expect(store.load(key("other"))).toBeNull();
      for (const expectedVersion of [-1, 0.5, Number.NaN, undefined as unknown as number]) {
        const attempt = () => store.save(key("a"), { bytes: textBytes("x"), codec }, { expectedVersion });
        expect(attempt).toThrow("expectedVersion must be a whole number");
      }
    });

    it("deletes a memory with all its versions and no other; the key can be used anew", () => {
      const store = fresh();
      save(store, key("a", "n"), "one");
      save(store, key("a", "n"), "two", 1);
      save(store, key("b", "n"), "one");
      save(store, key("a", "n", "m"), "one");
      expect(store.delete(key("a", "n"))).toBe(true);
      expect(store.delete(key("a", "n"))).toBe(false);
      expect(store.load(key("a", "n"))).toBeNull();
      expect(store.load(key("a", "n"), { version: 1 })).toBeNull();
      expect(store.history(key("a", "n"))).toEqual([]);
      expect(textOf(store, key("b", "n"))).toBe("one");
      expect(textOf(store, key("a", "n", "m"))).toBe("one");
      expect(save(store, key("a", "n"), "new")).toBe(1);
      expect(store.history(key("a", "n"))).toHaveLength(1);
    });

    it("keeps namespaces apart whatever they are made of", () => {
      const store = fresh();
      const spaces = [
        [],
        [""],
        ["", ""],
        ["acme"],
        ["acme-corp"],
        ["acme", "corp"],
        ["acme%"],
        ["acm_"],
        ["acme*"],
        ["Acme"],
        ["ACME"],
        ["acme "],
        ["acme,corp"],
        ['acme","corp'],
        ['acme"'],
        ["acme\\"],
        ["acme", ""],
        ["a/b"],
        ["a", "b"],
        ["a.b"],
        ["a:b"],
        ["ä"],
        ["a\u0308"],
        ["\0"],
        ["acme\0corp"],
        ["\ud800"],
        ["\udc00"],
        ["\ufffd"],
        ["__proto__"],
        ["[]"],
        ["*"],
        ["%"],
      ];
      for (const [at, namespace] of spaces.entries()) save(store, { namespace, id: "same" }, `in ${at}`);
      for (const [at, namespace] of spaces.entries()) {
        expect(store.list(namespace).map((held) => held.namespace)).toEqual([namespace]);
        expect(textOf(store, { namespace, id: "same" })).toBe(`in ${at}`);
      }
      const below = (namespace: string[]) =>
        spaces.filter(
          (space) => namespace.every((segment, at) => space[at] === segment) && space.length >= namespace.length,
        );
      for (const namespace of [...spaces, ["acm"], ["none"]]) {
        const found = store.list(namespace, { recursive: true }).map((held) => held.namespace);
        expect(found).toHaveLength(below(namespace).length);
        expect(found).toEqual(expect.arrayContaining(below(namespace)));
      }
    });

    it("keeps ids apart by case, blanks, wildcards and normal form", () => {
      const store = fresh();
      const ids = [
        "",
        "a",
        "A",
        "a ",
        "%",
        "_",
        "*",
        "ä",
        "a\u0308",
        "\0",
        "a\0b",
        "\ud800",
        "\udbff",
        "😀",
        "__proto__",
      ];
      for (const id of ids) save(store, key(id, "n"), id);
      expect(new Set(idsIn(store, ["n"]))).toEqual(new Set(ids));
      expect(store.delete(key("%", "n"))).toBe(true);
      expect(idsIn(store, ["n"])).toHaveLength(ids.length - 1);
    });

    it("finds in random namespaces exactly what a comparison segment by segment finds", () => {
      const segment = fc.constantFrom("", "a", "b", "ab", '"', ",", '","', "\\", "]", "[", "\0", "\ud800", "%");
      const space = fc.array(segment, { maxLength: 3 });
      fc.assert(
        fc.property(
          fc.uniqueArray(space, { selector: (held) => JSON.stringify(held), maxLength: 12 }),
          space,
          (all, asked) => {
            const store = open();
            for (const namespace of all) save(store, { namespace, id: "x" }, "x");
            const expected = all.filter(
              (held) => asked.every((part, at) => held[at] === part) && held.length >= asked.length,
            );
            const found = store.list(asked, { recursive: true }).map(({ namespace }) => JSON.stringify(namespace));
            expect(new Set(found)).toEqual(new Set(expected.map((held) => JSON.stringify(held))));
            store.close();
          },
        ),
        { numRuns: 60, seed: 2 },
      );
    });

    it("lists by namespace, then id, in the order of code units, the latest version of each", () => {
      const store = fresh();
      for (const [id, ...namespace] of [
        ["b", "n"],
        ["a", "n"],
        ["Z", "n"],
        ["a", "n", "m"],
        ["a"],
        ["é", "n"],
      ] as const) {
        save(store, key(id, ...namespace), "x");
      }
      save(store, key("a", "n"), "longer", 1);
      expect(idsIn(store, ["n"])).toEqual(["Z", "a", "b", "é"]);
      expect(store.list([], { recursive: true }).map((held) => [...held.namespace, held.id].join("/"))).toEqual([
        "a",
        "n/Z",
        "n/a",
        "n/b",
        "n/é",
        "n/m/a",
      ]);
      expect(store.list(["n"])[1]).toMatchObject({ version: 2, size: 6 });
    });

    it("exports JSON lines from which another store restores every version, note and time", () => {
      const [from, to] = [fresh(), fresh()];
      const odd = key("id \ud800", "n\0", "");
      save(from, odd, "one", 0, "note \ud83d");
      save(from, odd, "two", 1);
      const bytes = memoryCodec.encode({ ...emptyMemory, core: "core" });
      from.save(odd, { bytes, codec: memoryCodec }, { expectedVersion: 2 });
      const lines = [...from.exportJsonl(odd)].map((line) => JSON.parse(JSON.stringify(line)) as unknown);
      expect(lines).toHaveLength(4);
      const imported = to.importJsonl(lines);
      expect(imported).toEqual(from.history(odd)[2]);
      expect(to.history(odd)).toEqual(from.history(odd));
      for (const version of [1, 2, 3]) expect(to.load(odd, { version })).toEqual(from.load(odd, { version }));
      const copy = key("copy");
      expect(to.importJsonl(lines, { as: copy })).toMatchObject({ namespace: [], id: "copy", version: 3 });
      expect(textOf(to, copy, 2)).toBe("two");
    });

    it("exports the memory as it was at the call, also when it is deleted and made anew while the lines are taken", () => {
      const [store, copy] = [fresh(), fresh()];
      save(store, key("a"), "one");
      save(store, key("a"), "two", 1);
      const taken = { before: store.history(key("a")), lines: [] as object[] };
      for (const line of store.exportJsonl(key("a"))) {
        taken.lines.push(line);
        if (taken.lines.length !== 2) continue;
        store.delete(key("a"));
        save(store, key("a"), "OTHER1");
        save(store, key("a"), "OTHER2", 1);
        save(store, key("a"), "OTHER3", 2);
      }
      copy.importJsonl(taken.lines);
      expect(copy.history(key("a"))).toEqual(taken.before);
      expect([1, 2, 3].map((version) => textOf(copy, key("a"), version))).toEqual(["one", "two", null]);
      expect(textOf(store, key("a"))).toBe("OTHER3");

      const late = store.exportJsonl(key("a"));
      save(store, key("a"), "OTHER4", 3);
      expect([...late]).toHaveLength(4);
      const gone = store.exportJsonl(key("a"));
      store.delete(key("a"));
      expect(copy.importJsonl(gone, { as: key("b") }).version).toBe(4);
      expect(textOf(copy, key("b"))).toBe("OTHER4");
    });

    it("imports over a memory only from the version that is named", () => {
      const store = fresh();
      save(store, key("a"), "one");
      const lines = [...store.exportJsonl(key("a"))];
      save(store, key("a"), "two", 1);
      expect(() => store.importJsonl(lines)).toThrow("exists already, at version 2");
      expect(() => store.importJsonl(lines, { expectedVersion: 1 })).toThrow("is at version 2; expected version 1");
      expect(textOf(store, key("a"))).toBe("two");
      expect(store.importJsonl(lines, { expectedVersion: 2 }).version).toBe(1);
      expect(textOf(store, key("a"))).toBe("one");
      expect(store.history(key("a"))).toHaveLength(1);
    });

    it("refuses an export that is cut off, changed, out of order or something else, and imports nothing of it", () => {
      const store = fresh();
      save(store, key("a"), "one");
      save(store, key("a"), "two", 1);
      const [head, first, second] = [...store.exportJsonl(key("a"))] as [object, object, object];
      const bad: [unknown[], string][] = [
        [[], "line 1"],
        [[head], "2 versions announced, 0 found"],
        [[head, first], "2 versions announced, 1 found"],
        [[head, first, second, second], "version 3 expected, got 2"],
        [[head, second, first], "line 2"],
        [[first, second], "line 1"],
        [[{ ...head, formatVersion: 2 }, first, second], "line 1"],
        [[head, { ...first, bytes: "AAAA" }, second], "do not match their SHA-256"],
        [[head, { ...first, savedAt: "yesterday" }, second], "line 2"],
        [[head, "text", second], "line 2"],
        [[null], "line 1"],
      ];
      for (const [lines, problem] of bad) {
        const attempt = () => store.importJsonl(lines, { as: key("b") });
        expect(attempt).toThrow(UmaError);
        expect(attempt).toThrow(problem);
      }
      expect(store.load(key("b"))).toBeNull();
      expect(() => store.exportJsonl(key("nobody"))).toThrow('there is no memory "nobody" in []');
    });

    it("refuses keys and bytes of the wrong type instead of guessing", () => {
      const store = fresh();
      const bad = [
        { namespace: "acme", id: "a" },
        { namespace: ["a", 1], id: "a" },
        { namespace: ["a"], id: 7 },
        { namespace: null, id: "a" },
      ] as unknown as MemoryKey[];
      for (const wrong of bad) {
        expect(() => save(store, wrong, "x")).toThrow(UmaError);
        expect(() => store.load(wrong)).toThrow(UmaError);
        expect(() => store.delete(wrong)).toThrow(UmaError);
      }
      expect(() =>
        store.save(key("a"), { bytes: "text" as unknown as Uint8Array, codec }, { expectedVersion: 0 }),
      ).toThrow(UmaError);
      expect(store.list([], { recursive: true })).toEqual([]);
    });

    it("can be closed twice and says that it is closed", () => {
      const store = fresh();
      store.close();
      store.close();
      for (const use of [() => store.load(key("a")), () => save(store, key("a"), "x"), () => store.list([])]) {
        expect(use).toThrow("is closed");
      }
    });
  });
}
