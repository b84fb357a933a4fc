/** `umagraph report` on training runs. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { trainingFiles } from "../../trainers/run/training-folder.ts";
import { append, beginTraining, timed, updated } from "../trainers/report/invented-training.ts";
import { json, runHere, temporaryFolder } from "./run-cli.ts";

const cwd = temporaryFolder();

function training(name: string): string {
  const folder = beginTraining(join(cwd, name));
  append(trainingFiles.metrics(folder), updated(1));
  append(trainingFiles.timing(folder), timed(1));
  return folder;
}

it("writes the page into the folder, shows the tables, and gives the summary to programs", async () => {
  const folder = training("one");
  const shown = await runHere(["report", "one", "--csv", "one.csv"], { cwd });
  expect(shown).toMatchObject({ code: 0, stderr: "" });
  expect(shown.stdout).toContain("updates   1 of 6");
  expect(shown.stdout).toContain(`report: ${join("one", "report.html")}\nnumbers: one.csv\n`);
  expect(readFileSync(trainingFiles.report(folder), "utf8")).toContain('<h1 dir="auto">invented, seed 3</h1>');
  expect(readFileSync(join(cwd, "one.csv"), "utf8")).toMatch(/^update,.*\n1,/);
  const told = json(await runHere(["report", "one", "--html", "page.html", "--json"], { cwd }));
  expect(told).toMatchObject({
    folder: "one",
    html: "page.html",
    csv: null,
    summary: { updates: { done: 1 }, halted: null },
  });
  expect(existsSync(join(cwd, "page.html"))).toBe(true);
});

it("reports several, each in its folder", async () => {
  const folders = [training("a"), training("b")];
  const { code } = await runHere(["report", "a", "b"], { cwd });
  expect(code).toBe(0);
  expect(folders.map((folder) => existsSync(trainingFiles.report(folder)))).toEqual([true, true]);
});

it.each([
  [["one", "two", "--csv", "x.csv"], "--html and --csv name one file"],
  [["one", "other"], "one is a training run and other is not"],
  [["one", "--markdown", "-"], "--markdown is not for training runs"],
])("refuses %j with what to do", async (args, sentence) => {
  for (const name of ["one", "two"]) if (!existsSync(join(cwd, name))) training(name);
  const { code, stderr } = await runHere(["report", ...args], { cwd });
  expect(code).not.toBe(0);
  expect(stderr).toContain(sentence);
});

it("has no CSV of other runs", async () => {
  const { code, stderr } = await runHere(["report", "nowhere", "--csv", "x.csv"], { cwd });
  expect(code).not.toBe(0);
  expect(stderr).toContain("--csv is for training runs");
});
