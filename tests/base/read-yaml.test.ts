import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { readYaml } from "../../base/read-yaml.ts";

const folder = mkdtempSync(join(tmpdir(), "umagraph-yaml-"));
afterAll(() => rmSync(folder, { recursive: true }));

it("reads YAML and JSON; a file that is missing or torn is named, with what to do", () => {
  const path = join(folder, "a.yaml");
  writeFileSync(path, "a: [1, 2]\n");
  expect(readYaml(path, "mend it")).toEqual({ a: [1, 2] });
  writeFileSync(path, '{ "a": 1 }');
  expect(readYaml(path, "mend it")).toEqual({ a: 1 });
  writeFileSync(path, "a: [1,");
  const refused = (message: string) => expect.objectContaining({ code: "input", fix: "mend it", message });
  expect(() => readYaml(path, "mend it")).toThrow(refused(expect.stringContaining(`${path}: `)));
  const none = join(folder, "none.yaml");
  expect(() => readYaml(none, "mend it")).toThrow(refused(`there is no file ${none}`));
});
