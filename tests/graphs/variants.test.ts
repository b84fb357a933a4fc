import { describe, expect, it } from "vitest";
import { loadVariant, loadVariantFactory, variantNames } from "../../graphs/variants/load-variant.ts";
import { variantContract } from "../contracts/variant.ts";

for (const name of variantNames()) variantContract(name);
for (const spec of ["uma:withoutPhaseOne", "uma:withoutRawContext", "rag:topK=2:fusion=hybrid"]) variantContract(spec);

describe("variants by name", () => {
  it("are the folders, each with a factory of its own name", async () => {
    expect(variantNames()).toEqual(expect.arrayContaining(["concat", "rag", "uma"]));
    for (const name of variantNames()) expect((await loadVariantFactory(name)).name).toBe(name);
  });

  it("options follow colons; a bare option is true", async () => {
    expect((await loadVariant("rag:topK=5:fusion=hybrid")).name).toBe("rag:topK=5:fusion=hybrid");
    expect((await loadVariant("rag:topK=5")).paper).toBe("RAG (k = 5)");
    expect((await loadVariant("rag:fusion=rrf:topK=20")).name).toBe("rag");
    expect((await loadVariant("uma:withoutRawContext=false")).name).toBe("uma");
    expect((await loadVariant("uma:withoutPhaseOne:withoutRawContext=true")).name).toBe(
      "uma:withoutPhaseOne:withoutRawContext",
    );
  });

  it.each([
    ["umma", /there is no variant named "umma"/, /concat.*rag.*uma/],
    ["", /there is no variant named ""/, /uma/],
    ["../uma", /there is no variant named/, /uma/],
    ["uma:withoutMemory", /variant "uma:withoutMemory": .*withoutMemory/, /withoutPhaseOne, withoutRawContext/],
    ["rag:topK=many", /topK/, /topK, fusion/],
    ["rag:topK=0", /topK/, /topK, fusion/],
    ["rag:fusion=best", /fusion/, /topK, fusion/],
    ["uma:withoutPhaseOne=perhaps", /withoutPhaseOne/, /withoutPhaseOne/],
    ["concat:topK=5", /topK/, /options of concat: none/],
  ])("%s is refused, with what there is", async (spec, message, fix) => {
    await expect(loadVariant(spec)).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(message),
      fix: expect.stringMatching(fix),
    });
  });
});
