/** umagraph demo: the whole loop in a minute, offline: read a stream, watch the bank, answer questions, see the scores. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { loadBenchmark } from "../../evals/benchmarks/index.ts";
import { evaluate } from "../../evals/evaluate.ts";
import { extractAnswer } from "../../evals/metrics/extract-answer.ts";
import { writeReport } from "../../evals/reports/write-report.ts";
import { createRunFolder, readContexts, readScores } from "../../evals/run-folder.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import { SessionLimits } from "../../nodes/session/limits.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { createPolicy } from "../../policies/index.ts";
import { createSource } from "../../retrieval/source.ts";
import { toolsets } from "../../tools/toolsets.ts";
import { defineCommand } from "../command.ts";
import { onInterrupt } from "../interrupt.ts";
import { packageVersion } from "../package-version.ts";
import { bankChanges, sessionProblem } from "../show-session.ts";

export const command = defineCommand({
  name: "demo",
  summary: "the whole loop offline in a minute, without a model",
  usage: "[flags]",
  flags: z.object({
    horizon: z.coerce.number().int().min(1).max(50).default(3).describe("Sessions in the stream"),
    questions: z.coerce.number().int().min(1).default(8).describe("Questions asked afterwards"),
    seed: z.coerce.number().int().default(7).describe("Another seed, another stream"),
    out: z.string().optional().describe("Run folder (default runs/demo, runs/demo-2, …)"),
  }),
  examples: [
    { run: "umagraph demo", what: "three days of expenses, eight questions" },
    { run: "umagraph demo --horizon 10 --seed 1", what: "a longer stream" },
  ],
  async run({ flags, terminal }) {
    const say = terminal.print;
    const [benchmark, variant, policy] = await Promise.all([
      loadBenchmark("ledger-qa"),
      loadVariant("uma"),
      createPolicy({ policy: "ledger-expert" }),
    ]);
    const prompts = loadPrompts();
    const out = flags.out ?? freeDemoFolder();
    const folder = createRunFolder(out, {
      v: 1,
      umagraph: packageVersion(),
      name: "demo",
      created: new Date().toISOString(),
      benchmark: {
        name: benchmark.name,
        config: { horizon: flags.horizon, contexts: 1, seed: flags.seed, questions: flags.questions, profile: "micro" },
      },
      variant: { spec: "uma", name: variant.name, paper: variant.paper },
      policy: { spec: { policy: "ledger-expert" }, name: policy.name, scripted: policy.scripted },
      toolset: "paper",
      prompts: { name: prompts.name, hash: prompts.hash },
      limits: SessionLimits.parse({}),
      seed: flags.seed,
      // one at a time, so that what is printed is in the order in which it happened
      concurrency: 1,
    });

    say("umagraph demo: a stream is read once, chunk by chunk, into a memory; questions come later.");
    say("NO MODEL is used: the policy is ledger-expert, a hand-written script that calls the real tools.");
    say("It shows what a session does; its scores say nothing about any model.\n");
    const interrupt = onInterrupt(terminal.note);
    const started = performance.now();
    let chunks = 0;
    const { complete } = await evaluate({
      folder,
      benchmark,
      variant,
      policy,
      toolset: toolsets.paper,
      prompts,
      openSource: (texts) => createSource(texts),
      stopping: interrupt.stopping,
      signal: interrupt.signal,
      onRecord(record) {
        if (record.stage !== "memory") return;
        chunks++;
        for (const line of chunkStory(record)) say(line);
      },
    });
    interrupt.release();

    const questions = new Map(
      readContexts(out).flatMap((context) => context.questions.map((question) => [question.id, question.text])),
    );
    const scores = readScores(out);
    say("questions, answered from the memory:");
    for (const score of scores) {
      const right = score.metrics[benchmark.headline];
      say(`  ${questions.get(score.question)}`);
      say(`    ${extractAnswer(score.prediction ?? "")}   (gold ${score.gold}; ${benchmark.headline} ${right ?? "–"})`);
    }
    const correct = scores.filter((score) => score.metrics[benchmark.headline] === 1).length;
    say(`\n${correct} of ${scores.length} right, in ${((performance.now() - started) / 1000).toFixed(1)} s`);
    const html = join(out, "report.html");
    writeReport([out], { html });
    say(`run folder: ${out}`);
    say(`report:     ${html}  (open it in a browser: every session, call and bank change)\n`);
    say("next, with a real model (any OpenAI-compatible server):");
    say("  npx umagraph eval ledger-qa --horizon 2 --contexts 1 --policy openai --model <model> --base-url <url>");
    say("with your own text, still without a model:");
    say('  npx umagraph memorize README.md --memory readme && npx umagraph ask --memory readme "What is umagraph?"');
    terminal.result({ complete, chunks, questions: scores.length, correct, folder: out, html, scripted: true, scores });
    return complete ? 0 : 130;
  },
});

function* chunkStory(record: SessionRecord): Generator<string> {
  const prompt = record.messages.find((message) => message.role === "user")?.text ?? "";
  const lines = (/<chunk>\n([\s\S]*?)\n<\/chunk>/.exec(prompt)?.[1] ?? "")
    .split("\n")
    .filter((line) => line.trim() !== "");
  yield `chunk ${record.position + 1}: ${lines.length} lines, ${record.calls.length} tool calls in ${record.turns} turns`;
  for (const line of lines.slice(0, 3)) yield `  | ${line.slice(0, 110)}`;
  if (lines.length > 3) yield `  | … ${lines.length - 3} more lines`;
  yield "  the bank:";
  yield* bankChanges(record);
  const problem = sessionProblem(record);
  yield problem ? `  ${problem}\n` : `  core: ${record.core?.after}\n`;
}

function freeDemoFolder(): string {
  for (let n = 1; ; n++) {
    const folder = join("runs", n === 1 ? "demo" : `demo-${n}`);
    if (!existsSync(folder)) return folder;
  }
}
