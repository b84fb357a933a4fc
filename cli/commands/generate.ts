/** umagraph generate: benchmark data to a file, the same bytes for the same seed on any machine. */
import { once } from "node:events";
import { createWriteStream, renameSync, rmSync } from "node:fs";
import { HumanMessage } from "@langchain/core/messages";
import { z } from "zod";
import { exitCodes, UmaError } from "../../base/errors.ts";
import { seedOf } from "../../base/rng.ts";
import type { Benchmark } from "../../evals/benchmark.ts";
import { ledgerQa } from "../../evals/benchmarks/ledger-qa/benchmark.ts";
import type { LedgerQaConfig } from "../../evals/benchmarks/ledger-qa/config.ts";
import { generateContext } from "../../evals/benchmarks/ledger-qa/context.ts";
import { generateLedgerQa } from "../../evals/benchmarks/ledger-qa/generate.ts";
import { toPaperSample } from "../../evals/benchmarks/ledger-qa/paper-format.ts";
import type { Complete } from "../../evals/benchmarks/ledger-qa/rewrite.ts";
import type { Policy } from "../../policies/policy.ts";
import { benchmarkConfig, benchmarkFlags } from "../benchmark-flags.ts";
import { defineCommand } from "../command.ts";
import { policyFlags, policyFrom, policySpec } from "../policy-flags.ts";

const benchmark = ledgerQa as unknown as Benchmark;

export const command = defineCommand({
  name: "generate",
  summary: "write benchmark data (Ledger-QA)",
  usage: "ledger-qa [flags]",
  details: [
    "Dialogues come from templates and answers from the structured ledger; no model is involved. With --rewrite a model",
    "rewords the dialogues: a session whose amounts or dates do not survive keeps its original wording.",
  ].join("\n"),
  flags: z.object({
    seed: z.coerce.number().int().default(0).describe("Same seed, same bytes"),
    out: z.string().optional().describe("File to write; standard output when left out"),
    paperFormat: z.boolean().default(false).describe("Write the paper's JSON file instead of JSONL"),
    rewrite: z.boolean().default(false).describe("Let a model (--policy, --model, --base-url) reword the dialogues"),
    ...policyFlags,
  }),
  moreFlags: async () => benchmarkFlags(benchmark).omit({ file: true }),
  examples: [
    {
      run: "umagraph generate ledger-qa --horizon 20 --seed 7 --out ledger-h20.jsonl",
      what: "three contexts of twenty sessions",
    },
    { run: "umagraph eval ledger-qa --file ledger-h20.jsonl --policy ledger-expert", what: "evaluate on the file" },
  ],
  async run({ flags, more, positionals, typed, terminal }) {
    const [what] = positionals;
    if (what !== "ledger-qa") {
      throw new UmaError("config", `cannot generate ${what === undefined ? "nothing" : `"${what}"`}`, {
        fix: "umagraph generate ledger-qa",
      });
    }
    if (flags.rewrite && flags.paperFormat)
      throw new UmaError("config", "--rewrite writes JSONL, which says what was reworded; leave out --paper-format");
    const config = benchmarkConfig(benchmark, { ...more, seed: flags.seed }) as LedgerQaConfig;
    const policy = flags.rewrite ? await policyFrom(policySpec(flags, typed), terminal, flags) : null;
    if (policy?.scripted)
      throw new UmaError("config", `${policy.name} is a script and cannot reword anything`, {
        fix: "give a model: --policy openai --model … --base-url …",
      });
    const written = { contexts: 0, questions: 0, reworded: 0, kept: 0 };
    const note = () => terminal.note(`${written.contexts} contexts written`);

    async function* lines(): AsyncGenerator<string> {
      if (flags.paperFormat) {
        const samples = config.horizon.flatMap((horizon) =>
          Array.from({ length: config.contexts ?? 3 }, (_, i) => toPaperSample(generateContext(horizon, i, config))),
        );
        written.contexts = samples.length;
        written.questions = samples.reduce((sum, sample) => sum + sample.questions.length, 0);
        yield `${JSON.stringify(samples, null, 4)}\n`;
        return;
      }
      for await (const line of generateLedgerQa(config, policy ? { rewrite: completeWith(policy, flags.seed) } : {})) {
        written.contexts++;
        written.questions += line.questions.length;
        written.reworded += line.rewritten?.accepted ?? 0;
        written.kept += line.rewritten?.rejected ?? 0;
        if (policy) note();
        yield `${JSON.stringify(line)}\n`;
      }
    }

    if (flags.out === undefined) {
      // the data itself is the result
      for await (const line of lines()) if (!process.stdout.write(line)) await once(process.stdout, "drain");
      return 0;
    }
    await writeBeside(flags.out, lines());
    const rewording = policy ? `, ${written.reworded} sessions reworded, ${written.kept} kept as they were` : "";
    terminal.print(`${flags.out}: ${written.contexts} contexts, ${written.questions} questions${rewording}`);
    terminal.result({ out: flags.out, ...written, config });
    if (policy && written.reworded === 0 && written.kept > 0) {
      terminal.note(
        `no session was reworded: ${policy.name} gave no usable reply; is the server there, and the model able?`,
      );
      return exitCodes.provider;
    }
    return 0;
  },
});

/** Written whole or not at all. */
async function writeBeside(path: string, lines: AsyncIterable<string>): Promise<void> {
  const beside = `${path}.tmp`;
  const stream = createWriteStream(beside);
  try {
    await once(stream, "open");
    for await (const line of lines) if (!stream.write(line)) await once(stream, "drain");
    stream.end();
    await once(stream, "finish");
    renameSync(beside, path);
  } catch (cause) {
    rmSync(beside, { force: true });
    if (cause instanceof UmaError) throw cause;
    throw new UmaError("store", `cannot write ${path}: ${(cause as Error).message}`, {
      fix: "choose a writable place with --out",
      cause,
    });
  }
}

function completeWith(policy: Policy, seed: number): Complete {
  let asked = 0;
  return async (prompt) => {
    const { text } = await policy.sample({
      messages: [new HumanMessage(prompt)],
      tools: [],
      maxTokens: 2 * policy.countTokens(prompt),
      seed: seedOf(seed, "rewrite", asked++),
    });
    return text;
  };
}
