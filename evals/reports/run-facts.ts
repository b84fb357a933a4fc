/** One run in a few lines: what was run with which budget and data, how its sessions ended, what it cost. */
import { absent, duration, fraction, percent, shareOf, whole } from "./format-number.ts";
import type { Cost } from "./summary/cost.ts";
import type { RunSummary } from "./summary/run-summary.ts";

/** Name and text; a name that is "" goes on with the one before. */
export type RunFact = readonly [name: string, text: string];

export function runFacts(run: RunSummary): RunFact[] {
  const { benchmark, limits, questions, stages, cores, cost } = run;
  const weights = run.policy.weights.length > 0 ? ` · weights ${run.policy.weights.join(", ")}` : "";
  return [
    [
      "data",
      `${benchmark.name}, ${whole(benchmark.contexts)} contexts, ${whole(benchmark.chunks)} chunks, hash ${benchmark.data ?? absent}`,
    ],
    [
      "method",
      `${run.variant.paper} · ${run.policy.name}${run.policy.scripted ? " (no model)" : ""}${weights} · seed ${run.seed}`,
    ],
    ["tools and prompts", `${run.toolset} · ${run.prompts.name} ${run.prompts.hash}`],
    [
      "budget",
      `${whole(limits.promptTokens)} + ${whole(limits.interactionTokens)} tokens, ${limits.maxTurns} turns × ${limits.maxCalls} calls`,
    ],
    [
      "questions",
      `${askedText(run)}, ${whole(questions.answered)} answered, ${whole(questions.unanswered)} without an answer, ${whole(questions.failed)} failed, ${fraction(questions.scored, questions.asked)} scored`,
    ],
    ...stageFacts("building", stages.memory, cost.build),
    ...stageFacts("answering", stages.qa, cost.answer),
    ...(cores === null
      ? []
      : [
          [
            "cores",
            [
              `${fraction(cores.committed, stages.memory.sessions)} committed`,
              ...cores.kept.map(({ reason, count }) => `${whole(count)} kept: ${reason}`),
            ].join("; "),
          ] as const,
        ]),
    ...memoryFacts(run),
    ["run folder", run.folder],
  ];
}

/** "128 answers to 32 questions (4 trajectories) asked" where there are several. */
function askedText({ questions: { asked, distinct }, rollout }: RunSummary): string {
  if (distinct === undefined) return `${whole(asked)} asked`;
  return `${whole(asked)} answers to ${whole(distinct)} questions asked (${whole(rollout.G)} trajectories per context)`;
}

function stageFacts(
  name: string,
  { sessions, ends, errors, tools }: RunSummary["stages"]["qa"],
  cost: Cost | null,
): RunFact[] {
  if (cost === null) return [[name, absent]];
  const { verdicts } = tools;
  const other = Object.entries(ends).flatMap(([end, count]) =>
    end === "text" || count === 0 ? [] : [`${whole(count)} by ${end}`],
  );
  const provider = cost.provider
    ? `; the provider counted ${whole(cost.provider.prompt)} + ${whole(cost.provider.completion)}`
    : "";
  return [
    [
      name,
      `${whole(sessions)} sessions, ${whole(ends.text)} ended by text${other.map((end) => `, ${end}`).join("")}; ${duration(cost.sessionMs)} in all, ${duration(cost.elapsedMs)} elapsed`,
    ],
    [
      "",
      `${whole(cost.tokens.prompt)} prompt + ${whole(cost.tokens.interaction)} interaction tokens, ${whole(cost.tokens.completion)} of them sampled${provider}`,
    ],
    [
      "",
      tools.calls === 0
        ? "no tool calls"
        : `tool validity ${shareOf(verdicts.valid + verdicts.repaired, tools.counted)}: ${whole(verdicts.repaired)} repaired, ${whole(verdicts.invalid)} invalid, ${whole(verdicts.refused)} refused; ${whole(verdicts.miss)} misses count in neither`,
    ],
    ...errors.map(
      ({ boundary, code, count, message }): RunFact => ["", `${whole(count)} × ${boundary} ${code}: ${message}`],
    ),
  ];
}

function memoryFacts({ banks, evidence }: RunSummary): RunFact[] {
  const facts: RunFact[] = [];
  if (banks.length > 0) {
    const mean = (of: (bank: (typeof banks)[number]) => number) =>
      whole(banks.reduce((sum, bank) => sum + of(bank), 0) / banks.length);
    facts.push([
      "memory at the end",
      `${mean(({ entries }) => entries)} entries, ${mean(({ characters }) => characters)} characters, core ${mean(({ coreCharacters }) => coreCharacters)} characters (means over ${whole(banks.length)})`,
    ]);
  }
  if (evidence !== null) {
    const share = (count: number) => percent(count / evidence.sessions);
    facts.push([
      "looked up",
      `bank only ${share(evidence.bankOnly)}, raw context only ${share(evidence.rawOnly)}, both ${share(evidence.both)}, neither ${share(evidence.neither)} (% of ${whole(evidence.sessions)})`,
    ]);
  }
  return facts;
}
