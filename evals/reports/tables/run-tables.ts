/** The tables of what was run and what happened: a row per run, and per stage where the stages differ. */
import { absent, fraction, whole } from "../format-number.ts";
import { type LabelledRun, labelledRuns } from "../run-label.ts";
import type { ReportSummary } from "../summary.ts";
import { costTable } from "./cost-table.ts";
import { bankTable, evidenceTable } from "./memory-tables.ts";
import { number, type ReportTable, text } from "./report-table.ts";
import { errorTable, keptCoreTable, sessionTable, toolTable } from "./session-tables.ts";

export function runTables(summary: ReportSummary): ReportTable[] {
  const runs = labelledRuns(summary);
  return [
    runsTable(runs),
    questionTable(runs),
    sessionTable(runs),
    ...errorTable(runs),
    ...keptCoreTable(runs),
    toolTable(runs),
    costTable(runs),
    bankTable(runs),
    evidenceTable(runs),
  ];
}

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
        whole(run.questions.distinct ?? run.questions.asked),
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
  const several = runs.some(({ run }) => run.questions.distinct !== undefined);
  return {
    id: "questions",
    title: "Questions",
    note: "Without an answer: the session ended by a limit, or the guard refused its text.",
    columns: [
      text("run"),
      ...(several ? [number("questions"), number("trajectories")] : []),
      number(several ? "answers asked" : "asked"),
      number("finished"),
      number("answered"),
      number("without an answer"),
      number("failed"),
      number("scored"),
    ],
    rows: runs.map(({ run: { questions, rollout }, label }) => ({
      cells: [
        label,
        ...(several ? [whole(questions.distinct ?? questions.asked), whole(rollout.G)] : []),
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
