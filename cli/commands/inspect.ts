/** umagraph inspect: a run as a tree in the terminal, from its contexts down to the calls of one session. */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { askedQuestions } from "../../evals/reports/asked-questions.ts";
import { whole } from "../../evals/reports/format-number.ts";
import type { RunConfig } from "../../evals/run-folder.ts";
import { folderCredit } from "../../trainers/credit/folder-credit.ts";
import { readUpdate } from "../../trainers/credit/read-update.ts";
import { defineCommand } from "../command.ts";
import { creditSource } from "../credit/credit-lines.ts";
import { chooseSessions } from "../inspect/choose-sessions.ts";
import { detailLines } from "../inspect/detail-lines.ts";
import { type ContextNode, runTree } from "../inspect/run-tree.ts";
import { sessionDetail } from "../inspect/session-detail.ts";
import { type Depth, type Expected, treeLines } from "../inspect/tree-lines.ts";
import { oneRunFolder } from "../one-run.ts";

/** So many lines are shown unasked; what is deeper is named. */
const mostLines = 60;
const mostDetails = 8;

const index = z.coerce.number().int().min(0);

export const command = defineCommand({
  name: "inspect",
  summary: "look into a run: contexts → trajectories → sessions, with rewards and bank diffs",
  usage: "<run folder> [flags]",
  details:
    "Shows as much as fits: contexts, their trajectories, the sessions of those. --chunk or --question shows sessions to\n" +
    "the bottom: calls with arguments and observations, the bank's changes (by replay), the core before and after.\n" +
    "Also while the run goes on. A training run keeps its runs under updates/ and evaluations/. R and A are those of `umagraph rewards`, or the paper's with all defaults.",
  flags: z.object({
    context: z.string().min(1).optional().describe("A context, by id or by 0-based index"),
    trajectory: index.optional().describe("Trajectory i, 0-based"),
    chunk: index.optional().describe("The memory sessions of chunk k, 0-based"),
    question: z.string().min(1).optional().describe("The QA sessions of a question, by id"),
    depth: z
      .enum(["contexts", "trajectories", "sessions"])
      .optional()
      .describe("How deep to go (default: as deep as fits a screen)"),
    cut: z.coerce.number().int().min(1).default(300).describe("Characters of a text to show"),
  }),
  examples: [
    { run: "umagraph inspect runs/r1", what: "the run from above" },
    { run: "umagraph inspect runs/r1 --context 0 --trajectory 2", what: "one trajectory, session by session" },
    { run: "umagraph inspect runs/r1 --context 0 --chunk 3", what: "what each trajectory made of one chunk" },
    {
      run: "umagraph inspect runs/r1 --context 0 --question 7 --cut 2000",
      what: "the answers to one question, at length",
    },
    { run: "umagraph inspect runs/train-demo/updates/0003", what: "what one update of a training run learnt from" },
  ],
  async run({ flags, positionals, terminal }) {
    const { context, trajectory, chunk, question } = flags;
    if (chunk !== undefined && question !== undefined)
      throw new UmaError("config", "a session is of a chunk or of a question, got both --chunk and --question", {
        fix: "give one of them",
      });
    const folder = oneRunFolder("inspect", positionals);
    const update = await readUpdate(folder);
    const { run } = update;
    const { log, from } = folderCredit(update);
    const chosen = chooseSessions(runTree(run, log), {
      ...(context !== undefined && { context }),
      ...(trajectory !== undefined && { trajectory }),
      ...(chunk !== undefined && { chunk }),
      ...(question !== undefined && { question }),
    });
    const head = headLine(run.config, run.contexts.length, run.records.length);
    const source = creditSource(from, log.options);
    const atLeaf = chunk !== undefined || question !== undefined;
    if (!atLeaf) {
      const expected = expectedIn(update.run);
      const depth = flags.depth ?? depthFor(chosen);
      terminal.print(head);
      terminal.print(source);
      terminal.print();
      for (const line of treeLines(chosen, { depth, expected, width: terminal.columns * 2 })) terminal.print(line);
      terminal.print(`\n${deeper(depth, chosen, folder)}`);
      terminal.result({ folder, credit: { from, options: log.options }, contexts: chosen });
      return 0;
    }
    const recordOf = new Map(run.records.map((record) => [record.id, record]));
    const leaves = chosen.flatMap((node) => node.trajectories.flatMap(({ sessions }) => sessions));
    // reading details of thousands of sessions is what --json is for
    const shown = terminal.json ? leaves : leaves.slice(0, mostDetails);
    const details = shown.map((node) => ({ node, detail: sessionDetail(recordOf.get(node.id)!, update) }));
    const { lambda } = log.options.rewards as { lambda?: { memory: number; qa: number } };
    terminal.print(head);
    terminal.print(source);
    for (const { node, detail } of details) {
      terminal.print();
      const options = { width: terminal.columns, cut: flags.cut, lambda: lambda?.[node.stage] ?? null };
      for (const line of detailLines(node, detail, options)) terminal.print(line);
    }
    const left = leaves.length - shown.length;
    if (left > 0) terminal.print(`\n${whole(left)} more such sessions: choose with --context and --trajectory`);
    terminal.result({
      folder,
      credit: { from, options: log.options },
      sessions: details.map(({ node, detail }) => ({ ...node, ...detail })),
    });
    return 0;
  },
});

function headLine(
  { name, variant, policy, benchmark, rollout, seed }: RunConfig,
  contexts: number,
  sessions: number,
): string {
  const scripted = policy.scripted ? " (no model)" : "";
  const asked = rollout.M === null ? "all questions" : `M ${rollout.M} questions`;
  return `${name}: ${benchmark.name} · ${variant.spec} · ${policy.name}${scripted} · seed ${seed} · ${whole(contexts)} contexts × G ${rollout.G} trajectories × ${asked} · ${whole(sessions)} sessions finished`;
}

function expectedIn({ config, contexts, records }: Awaited<ReturnType<typeof readUpdate>>["run"]): Expected {
  const lineOf = new Map(contexts.map((line) => [line.id, line]));
  const keepsMemory = records.length === 0 || records.some(({ stage }) => stage === "memory");
  return {
    trajectories: config.rollout.G,
    sessions: ({ context, chunks }) => [keepsMemory ? chunks : 0, askedQuestions(config, lineOf.get(context)!).length],
  };
}

const linesAt = (contexts: readonly ContextNode[], depth: Depth): number => {
  const trajectories = contexts.flatMap((node) => node.trajectories);
  const sessions = trajectories.reduce((sum, node) => sum + node.sessions.length, 0);
  return contexts.length + (depth === "contexts" ? 0 : trajectories.length) + (depth === "sessions" ? sessions : 0);
};

const depths = ["sessions", "trajectories", "contexts"] as const;

const depthFor = (contexts: readonly ContextNode[]): Depth =>
  depths.find((depth) => linesAt(contexts, depth) <= mostLines) ?? (contexts.length > 1 ? "contexts" : "sessions");

function deeper(depth: Depth, contexts: readonly ContextNode[], folder: string): string {
  const [first] = contexts;
  if (!first) return "No context has begun yet.";
  const at = `umagraph inspect ${folder} --context ${inShell(first.context)}`;
  const trajectory = `--trajectory ${first.trajectories[0]?.trajectory ?? 0}`;
  if (depth === "sessions") return `one session to the bottom: ${at} ${trajectory} ${leafFlag(first)}`;
  if (depth === "trajectories") return `the sessions of one: ${at} ${trajectory} (or --depth sessions)`;
  return `one context: ${at} (or --depth trajectories)`;
}

/** Ids of data sets may hold blanks. */
const inShell = (id: string) => (/^[\w./:-]+$/.test(id) ? id : JSON.stringify(id));

function leafFlag({ trajectories }: ContextNode): string {
  const sessions = trajectories.flatMap((trajectory) => trajectory.sessions);
  const question = sessions.find((session) => session.question !== null)?.question;
  const chunk = sessions.find(({ stage }) => stage === "memory")?.position;
  const flags = [
    chunk === undefined ? [] : `--chunk ${chunk}`,
    question ? `--question ${inShell(question)}` : [],
  ].flat();
  return flags.join(", or ");
}
