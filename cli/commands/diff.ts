/** umagraph diff: whether two runs are the same, and where not. */
import { z } from "zod";
import { exitCodes, UmaError } from "../../base/errors.ts";
import { compareRuns, type RunDifference } from "../../evals/diff/compare-runs.ts";
import { printable } from "../../evals/reports/display-width.ts";
import { whole } from "../../evals/reports/format-number.ts";
import { isTrainingFolder } from "../../trainers/diff/compare-trainings.ts";
import { defineCommand } from "../command.ts";
import { oneRunFolder } from "../one-run.ts";
import { diffTrainings } from "../train/diff-trainings.ts";

export const command = defineCommand({
  name: "diff",
  summary: "whether two runs are the same, times and machine left out",
  usage: "<run folder> <run folder> [flags]",
  details:
    "Compares config, contexts, sessions, scores and, where both have them, rewards and advantages, by session id.\n" +
    "Left out: the run's name, times, concurrency, pool, the umagraph version, and how often a session was tried.\n" +
    "Two training runs are compared by metrics.jsonl and evaluations.jsonl: the first update and field that differ.\n" +
    "Exit code 0 when identical, 1 when not.",
  flags: z.object({
    most: z.coerce.number().int().min(1).default(10).describe("Show so many differences at most"),
  }),
  examples: [
    { run: "umagraph diff runs/a runs/b", what: "did a resumed run give what an uninterrupted one gave?" },
    {
      run: "umagraph diff runs/train-a runs/train-b",
      what: "did a training run that was killed go on as if it had not been?",
    },
    { run: "umagraph diff runs/a runs/b --json | jq .differences", what: "every difference, up to --most, as JSON" },
  ],
  async run({ flags, positionals, terminal }) {
    if (positionals.length !== 2)
      throw new UmaError("config", `expected two run folders, got ${positionals.length}`, {
        fix: "umagraph diff runs/a runs/b",
      });
    const trainings = positionals.filter(isTrainingFolder);
    if (trainings.length === 2) return diffTrainings(trainings[0]!, trainings[1]!, { ...flags, terminal });
    if (trainings.length === 1)
      throw new UmaError(
        "input",
        `${trainings[0]} is a training run and ${positionals.find((path) => path !== trainings[0])} is not`,
        {
          fix: "compare two training runs, or two runs of eval or rollout, e.g. folders under updates/",
        },
      );
    const [a, b] = positionals.map((path) => oneRunFolder("diff", [path])) as [string, string];
    const { identical, differences, compared, notes } = compareRuns(a, b);
    const what = `${whole(compared.sessions)} sessions, ${whole(compared.contexts)} contexts, ${whole(compared.scores)} scores`;
    if (identical) terminal.print(`identical: ${what}`);
    else {
      terminal.print(
        `different: ${whole(differences.length)} ${differences.length === 1 ? "difference" : "differences"} (compared: ${what})`,
      );
      for (const line of differences.slice(0, flags.most).flatMap((difference) => differenceLines(difference, a, b)))
        terminal.print(line);
      const left = differences.length - flags.most;
      if (left > 0)
        terminal.print(`… and ${whole(left)} more (--most ${whole(differences.length).replaceAll(",", "")})`);
    }
    for (const note of notes) terminal.print(`note: ${note}`);
    terminal.result({
      identical,
      a,
      b,
      compared,
      total: differences.length,
      // JSON has no undefined: a side that has nothing there has no key
      differences: differences.slice(0, flags.most),
      notes,
    });
    return identical ? exitCodes.ok : exitCodes.failure;
  },
});

function differenceLines({ file, of, field, a, b }: RunDifference, folderA: string, folderB: string): string[] {
  const where = [file, ...(of === null ? [] : [printable(of)]), ...(field === "" ? [] : [printable(field)])].join("  ");
  if (field === "") return [`${where}: only in ${a === undefined ? folderB : folderA}`];
  const [shownA, shownB] = fromFirstDifference(shown(a), shown(b));
  return [where, `  a: ${shownA}`, `  b: ${shownB}`];
}

const shown = (value: unknown) => (value === undefined ? "(nothing)" : printable(JSON.stringify(value)));

const WIDTH = 120;

/** Long values begin shortly before where they differ. */
function fromFirstDifference(a: string, b: string): [string, string] {
  let at = 0;
  while (at < a.length && at < b.length && a[at] === b[at]) at++;
  const from = at > WIDTH / 2 ? at - 20 : 0;
  const cut = (text: string) =>
    `${from > 0 ? "…" : ""}${text.slice(from, from + WIDTH)}${text.length > from + WIDTH ? "…" : ""}`;
  return [cut(a), cut(b)];
}
