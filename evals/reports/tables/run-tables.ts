/** The tables of what happened: what was run, how sessions ended, tool calls, cost, memory. A row per run and stage. */
import { absent, duration, fraction, shareOf, whole } from "../format-number.ts";
import { runLabel } from "../run-label.ts";
import type { Cost } from "../summary/cost.ts";
import type { RunSummary } from "../summary/run-summary.ts";
import type { ReportSummary } from "../summary.ts";
import { number, type ReportTable, text } from "./report-table.ts";

export function runTables(summary: ReportSummary): ReportTable[] {
  const runs = summary.runs.map((run, i) => ({ run, label: runLabel(summary, i) }));
  return [
    runsTable(runs),
    questionTable(runs),
    ...sessionTables(runs),
    toolTable(runs),
    costTable(runs),
    ...memoryTables(runs),
  ];
}

interface LabelledRun {
  readonly run: RunSummary;
  readonly label: string;
}

const stageNames = { memory: "building", qa: "answering" } as const;
const stages = ["memory", "qa"] as const;
/** Methods that read nothing in advance have no memory sessions. */
const stagesOf = (run: RunSummary) => stages.filter((stage) => run.stages[stage].sessions > 0);

function runsTable(runs: readonly LabelledRun[]): ReportTable {
  return {
    id: "runs",
    title: "Runs",
    columns: [
      text("run"),
      text("paper's row"),
      number("contexts / chunks"),
      number("questions"),
      text("data"),
      text("prompts"),
      text("tools"),
      number("seed"),
      text("token budget"),
      text("turns × calls"),
      text("weights"),
      text("made"),
      text("folder"),
    ],
    rows: runs.map(({ run, label }) => ({
      cells: [
        label,
        run.variant.paper,
        `${whole(run.benchmark.contexts)} / ${whole(run.benchmark.chunks)}`,
        whole(run.questions.asked),
        run.benchmark.data ?? absent,
        `${run.prompts.name} ${run.prompts.hash}`,
        run.toolset,
        String(run.seed),
        `${whole(run.limits.promptTokens)} + ${whole(run.limits.interactionTokens)}`,
        `${run.limits.maxTurns} × ${run.limits.maxCalls}`,
        run.policy.weights.join(", ") || absent,
        `${run.created.slice(0, 16).replace("T", " ")}, umagraph ${run.umagraph}`,
        run.folder,
      ],
    })),
  };
}

function questionTable(runs: readonly LabelledRun[]): ReportTable {
  return {
    id: "questions",
    title: "Questions",
    note: "Without an answer: the session ended by a limit, or the guard refused its text.",
    columns: [
      text("run"),
      number("asked"),
      number("finished"),
      number("answered"),
      number("without an answer"),
      number("failed"),
      number("scored"),
    ],
    rows: runs.map(({ run: { questions }, label }) => ({
      cells: [
        label,
        whole(questions.asked),
        whole(questions.finished),
        whole(questions.answered),
        whole(questions.unanswered),
        whole(questions.failed),
        fraction(questions.scored, questions.asked),
      ],
    })),
  };
}

function sessionTables(runs: readonly LabelledRun[]): ReportTable[] {
  const ends = ["text", "budget", "turns", "error", "cancelled"] as const;
  const errors = runs.flatMap(({ run, label }) =>
    stages.flatMap((stage) => run.stages[stage].errors.map((error) => ({ label, stage, ...error }))),
  );
  const kept = runs.flatMap(({ run, label }) => (run.cores?.kept ?? []).map((reason) => ({ label, ...reason })));
  const tables: ReportTable[] = [
    {
      id: "sessions",
      title: "How sessions ended",
      columns: [text("run"), text("stage"), number("sessions"), ...ends.map(number), number("cores committed")],
      rows: runs.flatMap(({ run, label }) =>
        stagesOf(run).map((stage) => {
          const { sessions, ends: counts } = run.stages[stage];
          const cores = stage === "memory" ? run.cores : null;
          return {
            cells: [
              label,
              stageNames[stage],
              whole(sessions),
              ...ends.map((end) => whole(counts[end])),
              cores === null ? absent : fraction(cores.committed, sessions),
            ],
          };
        }),
      ),
    },
  ];
  if (errors.length > 0)
    tables.push({
      id: "errors",
      title: "Errors",
      columns: [text("run"), text("stage"), text("where"), text("code"), number("sessions"), text("first message")],
      rows: errors.map(({ label, stage, boundary, code, count, message }) => ({
        cells: [label, stageNames[stage], boundary, code, whole(count), clip(message, 160)],
      })),
    });
  if (kept.length > 0)
    tables.push({
      id: "kept-cores",
      title: "Cores that were kept",
      note: "The session's text was refused or missing, so the core before it stayed.",
      columns: [text("run"), text("why"), number("sessions"), text("first session")],
      rows: kept.map(({ label, reason, count, sessions }) => ({
        cells: [label, reason, whole(count), sessions[0] ?? absent],
      })),
    });
  return tables;
}

function toolTable(runs: readonly LabelledRun[]): ReportTable {
  const verdicts = ["valid", "repaired", "miss", "invalid", "refused"] as const;
  return {
    id: "tools",
    title: "Tool calls",
    note: "Validity = (valid + repaired) / (all − misses): a miss, a title that is not there or is taken, counts in neither.",
    columns: [text("run"), text("stage"), number("calls"), ...verdicts.map(number), number("validity × 100")],
    rows: runs.flatMap(({ run, label }) =>
      stagesOf(run).map((stage) => {
        const { tools } = run.stages[stage];
        return {
          cells: [
            label,
            stageNames[stage],
            whole(tools.calls),
            ...verdicts.map((verdict) => whole(tools.verdicts[verdict])),
            shareOf(tools.verdicts.valid + tools.verdicts.repaired, tools.counted),
          ],
        };
      }),
    ),
  };
}

const parts = ["build", "answer", "superseded"] as const;
const partNames = { build: "building", answer: "answering", superseded: "attempts run again" } as const;

function costTable(runs: readonly LabelledRun[]): ReportTable {
  const row = (label: string, part: (typeof parts)[number], cost: Cost | null) => ({
    cells: [
      label,
      partNames[part],
      ...(cost === null
        ? Array<string>(9).fill(absent)
        : [
            whole(cost.sessions),
            whole(cost.turns),
            whole(cost.tokens.prompt),
            whole(cost.tokens.interaction),
            whole(cost.tokens.completion),
            cost.provider === null
              ? absent
              : `${whole(cost.provider.prompt)} + ${whole(cost.provider.completion)} (${fraction(cost.provider.sessions, cost.sessions)})`,
            duration(cost.sessionMs / cost.sessions),
            duration(cost.sessionMs),
            duration(cost.elapsedMs),
          ]),
    ],
  });
  return {
    id: "cost",
    title: "Cost of building and of answering",
    note: "Tokens by the policy's counter: initial prompts; all that followed them; the sampled part of that. Provider: prompt (summed over turns) + completion, and the sessions it counted. Elapsed: time in which at least one such session ran.",
    columns: [
      text("run"),
      text("part"),
      number("sessions"),
      number("turns"),
      number("prompt tokens"),
      number("interaction"),
      number("completion"),
      number("provider's count"),
      number("time per session"),
      number("sum over sessions"),
      number("elapsed"),
    ],
    rows: runs.flatMap(({ run, label }) =>
      parts
        .filter((part) => part !== "superseded" || run.cost.superseded !== null)
        .map((part) => row(label, part, run.cost[part])),
    ),
  };
}

function memoryTables(runs: readonly LabelledRun[]): ReportTable[] {
  const banks: ReportTable = {
    id: "banks",
    title: "Memory at the end of the stream",
    note: "Per context: mean (smallest to largest).",
    columns: [
      text("run"),
      number("memories"),
      number("chunks read"),
      number("entries"),
      number("characters"),
      number("core characters"),
      number("added / updated / deleted"),
      number("updates of all adds and updates"),
    ],
    rows: runs.map(({ run: { banks: grown }, label }) => {
      if (grown.length === 0) return { cells: [label, ...Array<string>(7).fill(absent)] };
      const writes = (op: "add" | "update" | "delete") => grown.reduce((sum, bank) => sum + bank.writes[op], 0);
      return {
        cells: [
          label,
          whole(grown.length),
          whole(grown.reduce((sum, { chunks }) => sum + chunks, 0)),
          range(grown.map(({ entries }) => entries)),
          range(grown.map(({ characters }) => characters)),
          range(grown.map(({ coreCharacters }) => coreCharacters)),
          `${whole(writes("add"))} / ${whole(writes("update"))} / ${whole(writes("delete"))}`,
          shareOf(writes("update"), writes("add") + writes("update")),
        ],
      };
    }),
  };
  const evidence: ReportTable = {
    id: "evidence",
    title: "Where answers were looked up",
    note: "Share × 100 of the QA sessions that did not fail, by what their calls read or the variant gave them. Listing titles reads no entry.",
    columns: [
      text("run"),
      number("sessions"),
      number("bank only"),
      number("raw context only"),
      number("both"),
      number("neither"),
    ],
    rows: runs.map(({ run: { evidence: use }, label }) => ({
      cells:
        use === null
          ? [label, ...Array<string>(5).fill(absent)]
          : [
              label,
              whole(use.sessions),
              ...[use.bankOnly, use.rawOnly, use.both, use.neither].map((count) => shareOf(count, use.sessions)),
            ],
    })),
  };
  return [banks, evidence];
}

function range(values: readonly number[]): string {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const shown = mean < 10 && !Number.isInteger(mean) ? mean.toFixed(1) : whole(mean);
  return low === high ? shown : `${shown} (${whole(low)} to ${whole(high)})`;
}

function clip(message: string, length: number): string {
  const line = message.replace(/\s+/g, " ").trim();
  return line.length <= length ? line : `${line.slice(0, length).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
