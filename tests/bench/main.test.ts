/** `npm run bench`: what it can measure is asked without measuring, and nothing that is not understood is measured. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { benches } from "../../bench/benches.ts";
import { main } from "../../bench/main.ts";

const root = resolve(import.meta.dirname, "../..");
const printed = { log: "", error: "" };
for (const way of ["log", "error"] as const)
  vi.spyOn(console, way).mockImplementation((text) => {
    printed[way] += `${text}\n`;
  });
afterEach(() => Object.assign(printed, { log: "", error: "" }));

describe("--help", () => {
  it.each([[[]], [["--help"]], [["-h"]]])("%j tells every bench, what it measures, and its flags", async (args) => {
    expect(await main(args)).toBe(0);
    for (const [name, { what, flags }] of Object.entries(benches)) {
      expect(printed.log).toContain(`  ${name.padEnd(12)} ${what}\n`);
      for (const flag of Object.keys(flags)) expect(printed.log).toContain(`    --${flag} `);
    }
  });

  it("of one bench tells that one, and measures nothing", async () => {
    const load = vi.spyOn(benches.bank!, "load");
    expect(await main(["bank", "--json", "--help"])).toBe(0);
    expect(printed.log).toContain("writes, snapshots");
    expect(printed.log).not.toContain("retrieval");
    expect(load).not.toHaveBeenCalled();
  });
});

describe("what is not understood", () => {
  it.each([
    [["banks"], 'there is no bench "banks"'],
    [["toString"], 'there is no bench "toString"'],
    [["bank", "--rounds", "3"], "the bench bank has no flag --rounds\n  flags: --json\n"],
    [["update", "--update=3"], "the bench update has no flag --update=3\n  flags: --json, --updates, --pool\n"],
    [["sessions", "10"], "the bench sessions has no flag 10"],
  ])("%j is refused", async (args, sentence) => {
    expect(await main(args)).toBe(2);
    expect(printed.error).toContain(sentence);
  });

  it("ends the process with 2", () => {
    const { status } = spawnSync(process.execPath, ["--import", "tsx", join(root, "bench/main.ts"), "none"]);
    expect(status).toBe(2);
  });
});

describe("the flags of a bench", () => {
  it("are all that its file reads", () => {
    for (const [name, { flags, inner = [] }] of Object.entries(benches)) {
      const source = readFileSync(join(root, "bench", `${name}.ts`), "utf8");
      const read = [...source.matchAll(/\boptions\.(\w+)/g)].map(([, key]) => key!);
      const known = ["json", ...Object.keys(flags), ...inner].map((flag) =>
        flag.replace(/-./g, (dash) => dash[1]!.toUpperCase()),
      );
      expect(known, name).toEqual(expect.arrayContaining(read));
      for (const key of known) expect(source, `${name} reads ${key}`).toMatch(new RegExp(`\\b${key}\\b`));
    }
  });

  it("reach it as numbers, lists, texts and switches", async () => {
    const run = vi.fn(async () => {});
    vi.spyOn(benches.retrieval!, "load").mockResolvedValue({ run });
    const args = ["--sizes", "100,300", "--wink-up-to=10", "--locomo", "a.json", "--json"];
    expect(await main(["retrieval", ...args])).toBe(0);
    expect(run).toHaveBeenCalledWith({ json: true, sizes: [100, 300], winkUpTo: 10, locomo: "a.json" });
    await main(["retrieval"]);
    expect(run).toHaveBeenLastCalledWith({ json: false });
  });
});
