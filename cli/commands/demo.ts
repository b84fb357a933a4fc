/** umagraph demo: the whole loop in a minute, offline: read a stream, watch the bank, answer questions, see the scores. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { exitCodes } from "../../base/errors.ts";
import { loadBenchmark } from "../../evals/benchmarks/index.ts";
import { extractAnswer } from "../../evals/metrics/extract-answer.ts";
import { writeReport } from "../../evals/reports/write-report.ts";
import { createRunFolder, readContexts, readScores, type ScoreLine } from "../../evals/run-folder.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { createPolicy } from "../../policies/index.ts";
import { readSection } from "../../policies/prompt-sections.ts";
import { benchmarkConfig } from "../benchmark-flags.ts";
import { defineCommand } from "../command.ts";
import { freeFolder, type PlannedRun } from "../eval/plan-runs.ts";
import { runCell } from "../eval/run-cell.ts";
import { runConfig } from "../eval/run-config.ts";
import { onInterrupt } from "../interrupt.ts";
import { sessionSettings } from "../session-settings.ts";
import { bankChanges, sessionProblem } from "../show-session.ts";

export const command = defineCommand({
  name: "demo",
  summary: "the whole loop offline in a minute: a small trained model reads, keeps a memory, answers",
  usage: "[flags]",
  flags: z.object({
    horizon: z.coerce.number().int().min(1).max(50).default(3).describe("Sessions in the stream"),
    questions: z.coerce.number().int().min(1).default(8).describe("Questions asked afterwards"),
    seed: z.coerce.number().int().default(7).describe("Another seed, another stream"),
    policy: z
      .enum(["embedded", "ledger-expert"])
      .default("embedded")
      .describe("embedded: a small model trained in this repository; ledger-expert: a script, no model"),
    out: z.string().optional().describe("Run folder (default runs/demo, runs/demo-2, …)"),
  }),
  examples: [
    { run: "umagraph demo", what: "three days of expenses, eight questions" },
    { run: "umagraph demo --horizon 10 --seed 1", what: "a longer stream" },
    { run: "umagraph demo --policy ledger-expert", what: "the script that the model learnt from" },
  ],
  async run({ flags, terminal }) {
    const say = terminal.print;
    const out = flags.out ?? freeFolder(join("runs", "demo"));
    const run = await planDemo(out, flags);
    say("umagraph demo: a stream is read once, chunk by chunk, into a memory; questions come later.");
    for (const line of whoPlays[flags.policy]) say(line);
    say("");
    const interrupt = onInterrupt(terminal.note);
    const started = performance.now();
    let chunks = 0;
    const onRecord = (record: SessionRecord) => {
      if (record.stage !== "memory") return;
      chunks++;
      for (const line of chunkStory(record)) say(line);
    };
    const options = {
      retryFailed: false,
      giveUpAfter: 0,
      maxFailed: 1,
      pool: 0,
      concurrency: undefined,
      label: "",
      onRecord,
    };
    const { complete } = await runCell(run, options, interrupt, terminal).finally(interrupt.release);

    const { headline } = await loadBenchmark(run.folder.config.benchmark.name);
    const scores = readScores(out);
    for (const line of answerStory(out, scores, headline)) say(line);
    const correct = scores.filter((score) => score.metrics[headline] === 1).length;
    say(`\n${correct} of ${scores.length} right, in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    const html = join(out, "report.html");
    writeReport([out], { html });
    say(`run folder: ${out}`);
    say(`report:     ${html}  (open it in a browser: every session, call and bank change)\n`);
    if (!complete) say(`stopped before the end; go on with: umagraph eval --resume ${out}\n`);
    say("next, with a real model (any OpenAI-compatible server):");
    say("  npx umagraph eval ledger-qa --horizon 2 --contexts 1 --policy openai --model <model> --base-url <url>");
    const chat = join(out, "chat.txt");
    writeFileSync(chat, sampleChat);
    const path = /^[\w./\\:-]+$/.test(chat) ? chat : JSON.stringify(chat);
    say(
      "with a text of your own, without a model (the script there finds sentences, dates and names; it understands nothing):",
    );
    say(`  npx umagraph memorize ${path} --memory chat`);
    say('  npx umagraph ask --memory chat "When is the night train to Bergen?"');
    const { policy } = run.folder.config;
    terminal.result({
      ...{ complete, chunks, questions: scores.length, correct, folder: out, html, scores },
      ...{ policy: policy.name, scripted: policy.scripted },
    });
    return complete ? exitCodes.ok : exitCodes.cancelled;
  },
});

const whoPlays = {
  embedded: [
    "The policy is a model of one million parameters that was trained in this repository (assets/embedded-policy) and",
    "runs in this process. It knows expense ledgers and nothing else, and it makes mistakes: its card has its scores.",
  ],
  "ledger-expert": [
    "NO MODEL is used: the policy is ledger-expert, a hand-written script that calls the real tools.",
    "It shows what a session does; its scores say nothing about any model.",
  ],
} as const;

/** What the last suggestion reads: the kind of text, and of question, that needs no model. */
const sampleChat = `[2024-05-02 09:14] Mara: I start at the observatory on Monday, finally.
[2024-05-02 09:15] Jon: Congratulations! My sister Ada works there too.
[2024-05-20 21:40] Mara: First clear night. We saw Saturn and I forgot my gloves.
[2024-06-01 18:02] Jon: I booked the night train to Bergen for 14 June.
`;

interface DemoFlags {
  readonly policy: keyof typeof whoPlays;
  readonly horizon: number;
  readonly questions: number;
  readonly seed: number;
}

/** One context of short sessions, and a policy that needs no server. */
async function planDemo(out: string, { policy: name, horizon, questions, seed }: DemoFlags): Promise<PlannedRun> {
  const spec = { policy: name };
  const sessions = { toolset: "paper", prompts: "default", budget: 16_384, maxTurns: 32, maxCalls: 16 };
  const [benchmark, made, policy, session] = await Promise.all([
    loadBenchmark("ledger-qa"),
    loadVariant("uma"),
    createPolicy(spec),
    sessionSettings(spec, sessions, new Set()),
  ]);
  const config = runConfig({
    name: "demo",
    benchmark,
    options: benchmarkConfig(benchmark, { horizon, contexts: 1, seed, questions, profile: "micro" }),
    variant: { spec: "uma", made },
    policy: { spec, made: policy },
    ...session,
    toolset: session.toolset.name,
    seed,
    // one at a time, so that what is printed is in the order in which it happened
    concurrency: 1,
  });
  return { folder: createRunFolder(out, config), spec };
}

function* chunkStory(record: SessionRecord): Generator<string> {
  const prompt = record.messages.find((message) => message.role === "user")?.text ?? "";
  const lines = (readSection(prompt, "chunk") ?? "").split("\n").filter((line) => line.trim() !== "");
  yield `chunk ${record.position + 1}: ${lines.length} lines, ${record.calls.length} tool calls in ${record.turns} turns`;
  for (const line of lines.slice(0, 3)) yield `  | ${line.slice(0, 110)}`;
  if (lines.length > 3) yield `  | … and ${lines.length - 3} more`;
  yield "  the bank:";
  yield* bankChanges(record);
  const problem = sessionProblem(record);
  yield problem ? `  ${problem}\n` : `  core: ${record.core?.after}\n`;
}

function* answerStory(out: string, scores: readonly ScoreLine[], headline: string): Generator<string> {
  const questions = new Map(
    readContexts(out).flatMap((context) => context.questions.map((question) => [question.id, question.text])),
  );
  yield "questions, answered from the memory:";
  for (const { question, prediction, gold, metrics } of scores) {
    yield `  ${questions.get(question)}`;
    yield `    ${extractAnswer(prediction ?? "")}   (gold ${gold}; ${headline} ${metrics[headline] ?? "–"})`;
  }
}
