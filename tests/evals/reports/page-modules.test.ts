/** The page's own modules, as they run in the browser; the whole page is in tests/browser. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { pageScript } from "../../../evals/reports/html/page-script.ts";

const load = async <T>(name: string): Promise<T> =>
  (await import(new URL(`../../../evals/reports/html/page/${name}.mjs`, import.meta.url).href)) as T;

interface Part {
  op: "same" | "del" | "ins";
  text: string;
}
interface Write {
  entry: string;
  version: number;
  op: string;
  before: unknown;
  after: { title: string; content: string } | null;
}
interface Session {
  position: number;
  end: string;
  calls: { writes: Write[] }[];
}
interface Entry {
  id: string;
  title: string;
  content: string;
  version: number;
  born: number;
  touched: number;
}

const { wordDiff } = await load<{ wordDiff(before: string, after: string): Part[] }>("word-diff");
const { foldBank } = await load<{
  foldBank(sessions: Session[], k: number): { entries: Entry[]; changes: Write[]; missing: number[] };
}>("fold-bank");
const { readRoute, sessionLink, memoryLink } = await load<{
  readRoute(hash: string): Record<string, unknown>;
  sessionLink(run: number, id: string): string;
  memoryLink(run: number, context: string, trajectory: number, k: number): string;
}>("route");

const side = (parts: Part[], op: "del" | "ins") =>
  parts
    .filter((part) => part.op === "same" || part.op === op)
    .map(({ text }) => text)
    .join("");

describe("differences of words", () => {
  test("a changed amount is one word out and one word in", () => {
    expect(wordDiff("Food cost 12.50 today", "Food cost 13.75 today")).toEqual([
      { op: "same", text: "Food cost " },
      { op: "del", text: "12.50" },
      { op: "ins", text: "13.75" },
      { op: "same", text: " today" },
    ]);
  });

  test("equal texts have no difference, empty ones nothing at all", () => {
    expect(wordDiff("same", "same")).toEqual([{ op: "same", text: "same" }]);
    expect(wordDiff("", "")).toEqual([]);
    expect(wordDiff("", "new")).toEqual([{ op: "ins", text: "new" }]);
    expect(wordDiff("old", "")).toEqual([{ op: "del", text: "old" }]);
  });

  test("what stayed with what went is the old text, with what came the new one", () => {
    const words = fc.array(fc.constantFrom("a", "b", "c ", " ", "\n", "支出", "👩‍👩‍👧", "\ud800"), { maxLength: 60 });
    fc.assert(
      fc.property(words, words, (one, other) => {
        const parts = wordDiff(one.join(""), other.join(""));
        expect(side(parts, "del")).toBe(one.join(""));
        expect(side(parts, "ins")).toBe(other.join(""));
      }),
    );
  });

  test("it is the shortest one: as long as a longest common subsequence allows", () => {
    const letters = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 12 });
    fc.assert(
      fc.property(letters, letters, (one, other) => {
        const kept = wordDiff(one.join("\n"), other.join("\n"))
          .filter(({ op }) => op === "same")
          .map(({ text }) => text)
          .join("");
        const tokens = (list: string[]) => list.flatMap((letter, i) => (i === 0 ? [letter] : ["\n", letter]));
        expect([...kept]).toHaveLength(commonLength(tokens(one), tokens(other)));
      }),
    );
  });

  test("texts with too many changes are compared by line, and then as wholes", () => {
    const lines = Array.from({ length: 400 }, (_, i) => `line ${i} has words number ${i}\n`);
    const byLine = wordDiff(
      lines.join(""),
      lines.map((line, i) => (i % 2 ? `${i} quite ${i} another ${i} thing\n` : line)).join(""),
    );
    expect(byLine.some(({ op, text }) => op === "same" && text === "line 2 has words number 2\n")).toBe(true);
    const [one, other] = ["a", "b"].map((word) => Array.from({ length: 3_000 }, (_, i) => `${word}${i}\n`).join(""));
    expect(wordDiff(one!, other!)).toEqual([
      { op: "del", text: one },
      { op: "ins", text: other },
    ]);
  });
});

function commonLength(a: string[], b: string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => Array<number>(b.length + 1).fill(0));
  for (let i = 1; i <= a.length; i++)
    for (let j = 1; j <= b.length; j++)
      table[i]![j] = a[i - 1] === b[j - 1] ? table[i - 1]![j - 1]! + 1 : Math.max(table[i - 1]![j]!, table[i]![j - 1]!);
  return table[a.length]![b.length]!;
}

describe("the bank after a chunk", () => {
  const write = (entry: string, op: string, content: string | null, version = 1): Write => ({
    entry,
    version,
    op,
    before: null,
    after: content === null ? null : { title: entry, content },
  });
  const session = (position: number, writes: Write[], end = "text"): Session => ({
    position,
    end,
    calls: [{ writes }],
  });
  const sessions = [
    session(2, [write("e1", "update", "changed", 2), write("e2", "delete", null, 2)]),
    session(0, [write("e1", "add", "one"), write("e2", "add", "two")]),
    session(1, [write("e3", "add", "never there")], "error"),
  ];

  test("is folded in the order of the stream, whatever order the sessions come in", () => {
    expect(foldBank(sessions, 0).entries.map(({ id }) => id)).toEqual(["e1", "e2"]);
    expect(foldBank(sessions, 2).entries).toEqual([
      { id: "e1", title: "e1", content: "changed", version: 2, born: 0, touched: 2 },
    ]);
  });

  test("a failed session changes nothing", () => {
    const { entries, changes } = foldBank(sessions, 1);
    expect(entries.map(({ id }) => id)).toEqual(["e1", "e2"]);
    expect(changes).toEqual([]);
  });

  test("says which chunks have no session", () => {
    expect(foldBank(sessions, 2).missing).toEqual([]);
    expect(foldBank([sessions[0]!], 3).missing).toEqual([0, 1, 3]);
  });
});

describe("links", () => {
  test("lead back to the session or memory they were made for, whatever its id holds", () => {
    for (const id of ["c1/t0/q1", "a b#%?/é/👩", "%2F", "../.."]) {
      expect(readRoute(sessionLink(3, id))).toEqual({ view: "session", run: 3, id });
      expect(readRoute(memoryLink(3, id, 0, 12))).toEqual({
        view: "memory",
        run: 3,
        context: id,
        trajectory: 0,
        k: 12,
      });
    }
  });

  test("a lone surrogate in an id does not break its link", () => {
    expect(readRoute(sessionLink(0, "a\ud800"))).toEqual({ view: "session", run: 0, id: "a\ufffd" });
  });

  test("anything else is the overview, with its anchor", () => {
    expect(readRoute("")).toEqual({ view: "overview", anchor: null });
    expect(readRoute("#table-cost")).toEqual({ view: "overview", anchor: "table-cost" });
    expect(readRoute("#/session/x/y")).toMatchObject({ view: "overview" });
    expect(readRoute("#/session/0/%E0%A4%A")).toMatchObject({ view: "session" });
  });
});

test("the page's script is every module once, without imports and exports, and one a browser can parse", () => {
  const script = pageScript();
  expect(script).not.toMatch(/^\s*(?:import|export)\b/m);
  expect(script).not.toContain("</script");
  // parsed, not run
  expect(() => new Function(script)).not.toThrow();
});
