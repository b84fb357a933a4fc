import { describe, expect, it } from "vitest";
import { lazyIndex } from "../../retrieval/lazy-index.ts";

function recorder(fail: { times: number } = { times: 0 }) {
  const batches: string[][] = [];
  let size = 0;
  return {
    batches,
    create: () => ({
      get size() {
        return size;
      },
      async add(texts: readonly string[]) {
        await Promise.resolve();
        batches.push([...texts]);
        if (fail.times-- > 0) throw new Error("the embedder is down");
        size += texts.length;
      },
    }),
  };
}

describe("an index built on first use", () => {
  it("is not built before it is needed, and once for callers who wait together", async () => {
    const { batches, create } = recorder();
    const index = lazyIndex(create, ["a", "b"]);
    expect(batches).toEqual([]);
    const all = await Promise.all(Array.from({ length: 10 }, () => index(2)));
    expect(batches).toEqual([["a", "b"]]);
    expect(new Set(all).size).toBe(1);
    await index(2);
    expect(batches).toHaveLength(1);
  });

  it("a failed build fails for all who waited and is tried again by the next caller", async () => {
    const { batches, create } = recorder({ times: 1 });
    const index = lazyIndex(create, ["a"]);
    const [one, two] = await Promise.allSettled([index(1), index(1)]);
    expect([one.status, two.status]).toEqual(["rejected", "rejected"]);
    expect((await index(1)).size).toBe(1);
    expect(batches).toEqual([["a"], ["a"]]);
  });

  it("only what was appended since is added, also while a build is running", async () => {
    const { batches, create } = recorder();
    const texts = ["a", "b"];
    const index = lazyIndex(create, texts);
    const first = index(2);
    texts.push("c");
    await Promise.all([first, index(3)]);
    texts.push("d");
    await index(2);
    await index(4);
    expect(batches.flat()).toEqual(["a", "b", "c", "d"]);
  });

  it("no texts: an empty index", async () => {
    expect((await lazyIndex(recorder().create, [])(0)).size).toBe(0);
  });
});
