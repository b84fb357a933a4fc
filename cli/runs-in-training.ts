/** A training run keeps its sessions in many runs below it; who names its folder is told their names. */
import { readdirSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { UmaError } from "../base/errors.ts";
import { whole } from "../evals/reports/format-number.ts";
import { isTrainingFolder } from "../trainers/diff/compare-trainings.ts";
import { holdsRun } from "./holds-run.ts";

/** <cell of an ablation>/updates/0001/<data source> */
const deepest = 4;
/** An ablation has two for each cell and seed. */
const mostGroups = 4;

/** What to throw for `path`, a training run or a folder in one, e.g. its updates/. */
export function runsInTraining(path: string): UmaError {
  const [training, what] = isTrainingFolder(path)
    ? [path, "is a training run"]
    : [dirname(resolve(path)), "is a part of a training run"];
  const runs = runsBelow(path, deepest);
  const last = runs.at(-1);
  if (last === undefined)
    return new UmaError("input", `${path} ${what}, and there is no run in it`, {
      fix: `how far the training is: umagraph report ${training}`,
    });
  return new UmaError("input", `${path} ${what}; the runs in it are ${spans(runs.map((run) => relative(path, run)))}`, {
    fix: `give one of them, e.g. ${last}`,
  });
}

function runsBelow(path: string, depth: number): string[] {
  const folders = readdirSync(path, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders
    .map(({ name }) => join(path, name))
    .sort()
    .flatMap((folder) => (holdsRun(folder) ? [folder] : depth > 1 ? runsBelow(folder, depth - 1) : []));
}

/** "evaluations/0000/… … evaluations/0040/… (6), updates/0001/… … updates/0040/… (40)" */
function spans(names: readonly string[]): string {
  const kindOf = (name: string) => name.split(sep).slice(0, -2).join(sep);
  const groups = [...new Set(names.map(kindOf))].map((kind) => names.filter((name) => kindOf(name) === kind));
  const told = groups
    .slice(0, mostGroups)
    .map((group) => (group.length === 1 ? group[0] : `${group[0]} … ${group.at(-1)} (${whole(group.length)})`));
  const left = groups.slice(mostGroups).flat().length;
  return [...told, ...(left > 0 ? [`and ${whole(left)} more`] : [])].join(", ");
}
