import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { UmaError } from "../../../base/errors.ts";
import { fillTemplate, loadPrompts, type PromptUse, promptUses } from "../../../nodes/prompts/prompts.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function folderWith(files: Partial<Record<PromptUse, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "umagraph-prompts-"));
  folders.push(folder);
  for (const [use, text] of Object.entries(files)) writeFileSync(join(folder, `${use}.md`), text);
  return folder;
}

const problem = (files: Partial<Record<PromptUse, string>>) => {
  try {
    loadPrompts(folderWith(files));
    return null;
  } catch (thrown) {
    return thrown as UmaError;
  }
};

describe("prompts", () => {
  it.each(["default", "ledger"])(
    "%s has every template, with core memory, chunk and question where the policy sees them",
    (name) => {
      const prompts = loadPrompts(name);
      for (const use of promptUses) expect(prompts[use].system.length).toBeGreaterThan(40);
      expect(prompts.maintenance.user).toContain("{memory}");
      expect(prompts.maintenance.user).toContain("{chunk}");
      expect(prompts.answering.user).toContain("{memory}");
      expect(prompts.answering.user).toContain("{question}");
      expect(prompts.answering.system).toContain("\\boxed{answer}");
    },
  );

  it("ledger differs from default where the books are kept, and takes the rest from it", () => {
    const [ours, ledger] = [loadPrompts("default"), loadPrompts("ledger")];
    expect(ledger.rag).toEqual(ours.rag);
    expect(ledger.maintenance).not.toEqual(ours.maintenance);
    expect(ledger.hash).not.toBe(ours.hash);
  });

  it("a user's folder replaces what it holds; the hash is that of the texts", () => {
    const text = "[system]\nBe brief.\n[user]\n{memory} {chunk}\n";
    const mine = loadPrompts(folderWith({ maintenance: text }));
    expect(mine.maintenance).toMatchObject({ system: "Be brief.", user: "{memory} {chunk}" });
    expect(mine.answering).toEqual(loadPrompts().answering);
    expect(loadPrompts(folderWith({ maintenance: text })).hash).toBe(mine.hash);
    expect(loadPrompts(folderWith({ maintenance: `${text} ` })).hash).not.toBe(mine.hash);
  });

  it("a file that would leave the policy blind is refused with what is wrong", () => {
    expect(problem({ maintenance: "Just text {memory} {chunk}" })?.message).toContain(
      "a [system] part and then a [user] part",
    );
    expect(problem({ maintenance: "[system]\nx\n[user]\n{memory}" })?.message).toContain("lacks {chunk}");
    expect(problem({ maintenance: "[system]\nx\n[user]\n{memory} {chunk} {chunks}" })).toMatchObject({
      code: "config",
      message: expect.stringContaining("unknown placeholder {chunks}"),
      fix: "placeholders here: {memory} {chunk}, in the [user] part",
    });
    expect(problem({ maintenance: "[system]\nThe core: {memory}\n[user]\n{memory} {chunk}" })?.message).toContain(
      "{memory} stands in the [system] part",
    );
    expect(problem({ answering: "[system]\nx\n[user]\n{memory} \\boxed{question}" })?.message).toContain(
      "lacks {question}",
    );
  });

  it("a name that is neither ours nor a folder is refused with what there is", () => {
    for (const name of ["defaults", "/no/such/folder", "../default"])
      expect(() => loadPrompts(name)).toThrow(/expected "default", "ledger" or a folder/);
  });

  it("text with braces in it is never read as a placeholder", () => {
    expect(fillTemplate("{memory}|{chunk}", { memory: "{chunk}", chunk: "$& {memory} \\boxed{chunk}" })).toBe(
      "{chunk}|$& {memory} \\boxed{chunk}",
    );
    expect(fillTemplate("\\boxed{memory} {other}", { memory: "x" })).toBe("\\boxed{memory} {other}");
  });
});
