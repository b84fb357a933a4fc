/** umagraph generate: benchmark data to a file, the same bytes for the same seed on any machine. */

import { once } from "node:events";
import { createWriteStream } from "node:fs";
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { ledgerQaConfig } from "../../evals/benchmarks/ledger-qa/config.ts";
import { generateLedgerQa } from "../../evals/benchmarks/ledger-qa/generate.ts";
import { defineCommand } from "../command.ts";
import { numberList } from "../flags.ts";

export const command = defineCommand({
  name: "generate",
  summary: "write benchmark data (Ledger-QA)",
  usage: "ledger-qa [flags]",
  flags: z.object({
    horizon: numberList.default([10]).describe("Sessions per context; several make several sets, e.g. 2,10,50"),
    contexts: z.coerce.number().int().min(1).default(3).describe("Contexts per horizon"),
    seed: z.coerce.number().int().default(0).describe("Same seed, same bytes"),
    split: z
      .enum(["train", "test"])
      .default("test")
      .describe("Training and test data never share a draw or a held-out wording"),
    profile: z
      .enum(["micro", "full"])
      .default("full")
      .describe("micro: short sessions, small vocabulary; full: long, messy dialogues"),
    pointQueries: z.boolean().default(false).describe("Also the paper's question on one sub-scene on one date"),
    out: z.string().optional().describe("File to write; standard output when left out"),
  }),
  examples: [
    {
      run: "umagraph generate ledger-qa --horizon 20 --seed 7 --out ledger-h20.jsonl",
      what: "three contexts of twenty sessions",
    },
    { run: "umagraph eval ledger-qa --file ledger-h20.jsonl --policy ledger-expert", what: "evaluate on the file" },
  ],
  async run({ flags, positionals, terminal }) {
    const [what] = positionals;
    if (what !== "ledger-qa") {
      throw new UmaError("config", `cannot generate ${what === undefined ? "nothing" : `"${what}"`}`, {
        fix: "umagraph generate ledger-qa",
      });
    }
    const { out, ...config } = flags;
    const stream = out === undefined ? process.stdout : createWriteStream(out);
    if (out !== undefined) {
      await once(stream, "open").catch((cause: Error) => {
        throw new UmaError("store", `cannot write ${out}: ${cause.message}`, {
          fix: "choose a writable place with --out",
          cause,
        });
      });
    }
    let contexts = 0;
    let questions = 0;
    for await (const line of generateLedgerQa(ledgerQaConfig.parse(config))) {
      if (!stream.write(`${JSON.stringify(line)}\n`)) await once(stream, "drain");
      contexts++;
      questions += line.questions.length;
    }
    if (out === undefined) return 0; // the data itself is the result
    stream.end();
    await once(stream, "finish");
    terminal.print(`${out}: ${contexts} contexts, ${questions} questions`);
    terminal.result({ out, contexts, questions, config });
    return 0;
  },
});
