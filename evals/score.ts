/** Scores a run from its records: no session is run again, so another metric or a corrected gold costs nothing. */
import type { SessionRecord } from "../nodes/session/record.ts";
import { toolsets } from "../tools/toolsets.ts";
import type { Benchmark, Question } from "./benchmark.ts";
import { evidenceRecall } from "./metrics/evidence-recall.ts";
import type { ContextLine, ScoreLine } from "./run-folder.ts";

/** One line per QA session whose question is known, in the order of contexts, trajectories and questions. */
export function scoreRecords(
  benchmark: Pick<Benchmark, "metrics">,
  contexts: readonly ContextLine[],
  records: readonly SessionRecord[],
): ScoreLine[] {
  const answers = new Map<string, Map<number, Map<string, SessionRecord>>>();
  for (const record of records) {
    if (record.stage !== "qa" || record.question === null) continue;
    const trajectories = inner(answers, record.context, () => new Map<number, Map<string, SessionRecord>>());
    inner(trajectories, record.trajectory, () => new Map<string, SessionRecord>()).set(record.question, record);
  }
  return contexts.flatMap((context) =>
    [...(answers.get(context.id) ?? [])]
      .sort(([one], [other]) => one - other)
      .flatMap(([, asked]) =>
        context.questions.flatMap((question) => {
          const record = asked.get(question.id);
          return record ? [scoreSession(benchmark, context.id, question, record)] : [];
        }),
      ),
  );
}

function inner<Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

function scoreSession(
  benchmark: Pick<Benchmark, "metrics">,
  context: string,
  question: Question,
  record: SessionRecord,
): ScoreLine {
  // a failed session has no prediction; one that ended without an acceptable text has an empty one, which is wrong
  const prediction = record.error || record.end === "cancelled" ? null : (record.answer ?? "");
  const reads = prediction === null ? null : readSpans(record);
  const metrics = Object.fromEntries([
    ...benchmark.metrics.map((metric) => [
      metric.name,
      prediction === null ? null : metric.score(prediction, question),
    ]),
    ...[5, 20].map((k) => [`recall@${k}`, reads === null ? null : evidenceRecall(question, reads, k)]),
  ]);
  return {
    session: record.id,
    context,
    question: question.id,
    category: question.category,
    prediction,
    gold: question.answer,
    metrics,
  };
}

const searchTools = new Set(toolsets.paper.tools.filter((tool) => tool.searchesContext).map((tool) => tool.name));

/**
 * The raw-context passages a session was shown, in the order in which it saw them; null when it never searched, so that
 * answering from the bank alone is not counted as a search that found nothing.
 */
function readSpans(record: SessionRecord) {
  const searched = record.calls.some((call) => searchTools.has(call.name) && call.verdict !== "invalid");
  if (!searched && record.given.length === 0) return null;
  return [...record.given, ...record.calls.flatMap((call) => call.reads)].flatMap((read) =>
    read.span ? [{ ...read.span, rank: read.rank }] : [],
  );
}
