/** Real files as people have them, through the real command. They may not be bundled, so they are read where they lie. */
import { existsSync, mkdtempSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { json, root, runCli, runHere, temporaryFolder } from "./run-cli.ts";

const messy = resolve(root, "..", "shared", "data", "messy");
const parent = temporaryFolder();

const why = existsSync(messy) ? "" : " (skipped: ../shared/data/messy is not there)";

describe.skipIf(why !== "")(`every messy file through memorize${why}`, () => {
  const files = existsSync(messy)
    ? readdirSync(messy, { recursive: true, withFileTypes: true })
        .filter((file) => file.isFile() && file.name !== "SOURCE.md")
        .map((file) => join(file.parentPath, file.name))
        .sort()
    : [];

  test("works, or gives a one-line reason and what to do", async () => {
    expect(files.length).toBeGreaterThan(50);
    const cwd = mkdtempSync(join(parent, "cwd-"));
    const refused: string[] = [];
    for (const [i, file] of files.entries()) {
      const ran = await runHere(["memorize", file, "--memory", `m${i}`, "--policy", "extractive", "--json"], { cwd });
      const name = relative(messy, file);
      expect(ran.stderr, name).not.toContain("this should not have happened");
      if (ran.code === 0) {
        const { chunks, failed } = json<{ chunks: number; failed: number }>(ran);
        expect(failed, name).toBe(0);
        // an empty file is read and holds nothing
        if (!name.endsWith("_empty.0")) expect(chunks, name).toBeGreaterThan(0);
        continue;
      }
      expect(ran.code, name).toBe(3);
      expect(ran.stderr.trimEnd().split("\n").slice(-2).join("\n"), name).toMatch(
        /^umagraph memorize: \S+: byte 0x\w\w at offset \d+ .*\n {2}.*--lossy/,
      );
      const lossy = await runHere(["memorize", file, "--memory", `m${i}`, "--lossy", "--json"], { cwd });
      expect(lossy.code, name).toBe(0);
      expect(json<{ chunks: number }>(lossy).chunks, name).toBeGreaterThan(0);
      refused.push(name);
    }
    expect(refused.length).toBeLessThan(6);
  });

  test("and all at once, twice: the second time there is nothing new", async () => {
    const cwd = mkdtempSync(join(parent, "cwd-"));
    const args = ["memorize", messy, "--memory", "all", "--policy", "extractive", "--json"];
    const first = json<{ documents: string[]; refused: object[]; chunks: number }>(await runHere(args, { cwd }));
    expect(first.documents.length).toBeGreaterThan(50);
    expect(first.chunks).toBeGreaterThan(first.documents.length);
    expect(json(await runHere(args, { cwd }))).toMatchObject({ version: 1, chunks: 0, refused: first.refused });
  });

  test("a folder of chats answers from another process, with its sources", async () => {
    const cwd = mkdtempSync(join(parent, "cwd-"));
    await runHere(["memorize", join(messy, "chat"), "--memory", "chat", "--policy", "extractive"], { cwd });
    const question = "Which issue was created so that setup.py can be installed?";
    const ran = await runCli(["ask", "--memory", "chat", question, "--json"], { cwd });
    expect(ran.code).toBe(0);
    const { text, sources } = json<{ text: string; sources: { entries: { chunks: object[] }[]; chunks: object[] } }>(
      ran,
    );
    expect(text).toContain("setup.py");
    expect(sources.entries[0]!.chunks[0]).toMatchObject({ document: expect.stringContaining("slack__") });
    expect(sources.chunks.length).toBeGreaterThan(0);
  });
});
