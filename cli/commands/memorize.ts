/** umagraph memorize: files → a kept memory. Run again with more input, it reads only what is new. */
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import type { Variant, VariantEnv } from "../../graphs/variants/variant.ts";
import { bankSize } from "../../memory/bank.ts";
import { documentKinds } from "../../memory/ingest/document.ts";
import { readInput } from "../../memory/ingest/read-input.ts";
import { emptyKeptMemory, type KeptMemory, keptMemoryCodec } from "../../memory/kept-memory.ts";
import type { Memory } from "../../memory/memory.ts";
import { loadPrompts } from "../../nodes/prompts/prompts.ts";
import { createSource } from "../../retrieval/source.ts";
import { defineCommand } from "../command.ts";
import { onInterrupt } from "../interrupt.ts";
import { policyFlags, policyFrom, policySpec } from "../policy-flags.ts";
import { afterReading, openReading, type Plan, planReading, readingFolder, unfinishedPlan } from "../reading.ts";
import { limitsFrom, sessionFlags, toolsetNamed } from "../session-flags.ts";
import { bankChanges, sessionProblem } from "../show-session.ts";
import { keyOf, loadKept, memoryFlag, openStore, storeFlags } from "../store-flags.ts";

export const command = defineCommand({
  name: "memorize",
  summary: "read files into a memory",
  usage: "<file | folder | -> … --memory <name> [flags]",
  details: [
    "Reads text, Markdown, JSON and JSONL messages, LangChain message dumps, chat exports (WhatsApp, Signal, Telegram,",
    "Slack, Instagram), logs, mail and calendars, one session per chunk. Reading can be stopped at any time and",
    "continued by the same command; a second run with more input reads only what is new.",
  ].join("\n"),
  flags: z.object({
    ...memoryFlag,
    ...storeFlags,
    ...policyFlags,
    ...sessionFlags,
    chunkTokens: z.coerce.number().int().min(16).default(2_000).describe("Longest chunk, in tokens"),
    kind: z.enum(documentKinds).optional().describe("Read every file as this kind; by default the content decides"),
    encoding: z.string().optional().describe("Encoding of the files; detected when left out"),
    lossy: z.boolean().default(false).describe("Go on where bytes cannot be decoded (they become U+FFFD)"),
    seed: z.coerce.number().int().default(0).describe("Seed of the policy's sampling"),
    verbose: z.boolean().default(false).describe("Show what each session did to the bank"),
  }),
  examples: [
    {
      run: "umagraph memorize notes.md --memory notes",
      what: "read a file (without a key: the scripted extractive policy)",
    },
    {
      run: "umagraph memorize chats/ --memory trip --policy openai --model gpt-4o-mini",
      what: "read a folder with a model",
    },
    { run: "cat today.log | umagraph memorize - --memory ops", what: "read standard input" },
  ],
  async run({ flags, positionals, terminal }) {
    if (positionals.length === 0) {
      throw new UmaError("config", "nothing to read: expected a file, a folder or -", {
        fix: "umagraph memorize <file> --memory <name>",
      });
    }
    const policy = await policyFrom(policySpec(flags), terminal);
    const variant = (await loadVariant("uma")) as Variant<Memory>;
    const prompts = loadPrompts(flags.prompts);
    const { documents, refused } = await readInput(positionals, {
      lossy: flags.lossy,
      ...(flags.encoding !== undefined && { encoding: flags.encoding }),
      ...(flags.kind !== undefined && { kind: flags.kind }),
    });
    for (const { name, reason } of refused) terminal.note(`left out ${name}: ${reason}`);
    for (const document of documents) for (const note of document.notes) terminal.note(`${document.name}: ${note}`);

    const store = openStore(flags.store);
    try {
      const key = keyOf(flags, flags.memory);
      const stored = loadKept(store, key);
      const from = stored?.version ?? 0;
      const kept = stored?.kept ?? emptyKeptMemory;
      const cut = { maxTokens: flags.chunkTokens, countTokens: policy.countTokens };
      const folder = readingFolder(flags.store, key);
      const unfinished = unfinishedPlan(folder, from);
      const jobs: Plan[] = [];
      if (unfinished) {
        terminal.note(`continuing the reading of ${unfinished.chunks.length} chunks that was stopped`);
        jobs.push(unfinished);
      }
      const rest = planReading(unfinished ? afterReading(kept, unfinished) : kept, from, documents, cut);
      if (rest.chunks.length > 0) jobs.push(rest);
      if (jobs.length === 0) {
        const unchanged = `nothing new: ${documents.length} document${documents.length === 1 ? "" : "s"} read before`;
        terminal.print(
          documents.length === 0
            ? "nothing to read"
            : `${unchanged}; memory "${flags.memory}" stays at version ${from}`,
        );
        terminal.result({
          memory: flags.memory,
          version: from,
          chunks: 0,
          entries: bankSize(kept.memory.bank),
          refused,
        });
        return;
      }
      const plan: Plan = {
        from,
        chunks: jobs.flatMap((job) => job.chunks),
        documents: mergeDocuments(jobs),
      };
      const reading = openReading(folder, plan);
      const interrupt = onInterrupt(terminal.note);
      const progress = terminal.progress();
      const goal = afterReading(kept, plan);
      const source = createSource(goal.chunks.map((chunk) => chunk.text));
      const first = kept.chunks.length;
      const done = new Map(reading.records.map((record) => [record.position, record]));
      let failed = 0;
      const env: VariantEnv = {
        policy,
        source,
        toolset: toolsetNamed(flags.toolset),
        prompts,
        limits: limitsFrom(flags),
        run: "memorize",
        context: [...key.namespace, key.id].join("/"),
        trajectory: 0,
        seed: flags.seed,
        signal: interrupt.signal,
        record(record) {
          if (record.end === "cancelled") return;
          reading.append(record);
          done.set(record.position, record);
          const problem = sessionProblem(record);
          if (record.error) failed++;
          if (problem) terminal.note(`chunk ${record.position + 1}: ${problem}`);
          if (flags.verbose) terminal.note([`chunk ${record.position + 1}`, ...bankChanges(record)].join("\n"));
        },
      };
      let memory = kept.memory;
      try {
        for (let k = first; k < goal.chunks.length; k++) {
          const recorded = done.get(k);
          if (recorded) memory = variant.replay(memory, recorded);
          else if (interrupt.stopping()) break;
          else memory = await variant.memorize(memory, k, env);
          if (interrupt.signal.aborted && !done.has(k)) break;
          progress.update({
            done: k - first + 1,
            total: plan.chunks.length,
            skipped: reading.records.length,
            note: goal.chunks[k]!.document,
          });
        }
      } finally {
        progress.end();
        interrupt.release();
      }
      if (done.size < plan.chunks.length) {
        reading.close();
        terminal.note(
          `stopped after ${done.size} of ${plan.chunks.length} chunks; run the same command again to go on`,
        );
        terminal.result({
          memory: flags.memory,
          complete: false,
          chunksRead: done.size,
          chunksPlanned: plan.chunks.length,
        });
        return 130;
      }
      const result: KeptMemory = { ...goal, memory };
      const version = store.save(
        key,
        {
          bytes: keptMemoryCodec.encode(result),
          codec: keptMemoryCodec,
          note: `${policy.name}: ${plan.chunks.length} chunks`,
        },
        { expectedVersion: from },
      );
      reading.finish();
      const entries = bankSize(memory.bank);
      terminal.print(
        `memory "${flags.memory}" version ${version}: ${plan.chunks.length} chunks read from ${plan.documents.length} document${plan.documents.length === 1 ? "" : "s"}, ${entries} entries${failed > 0 ? `, ${failed} sessions failed` : ""}`,
      );
      if (memory.core) terminal.print(`core: ${memory.core}`);
      terminal.print(`\nask it something:  umagraph ask --memory ${flags.memory} "…"`);
      terminal.result({
        memory: flags.memory,
        version,
        complete: true,
        policy: { name: policy.name, scripted: policy.scripted },
        documents: plan.documents.map((document) => document.name),
        chunks: plan.chunks.length,
        failed,
        entries,
        core: memory.core,
        refused,
      });
      return failed === plan.chunks.length ? 6 : 0;
    } finally {
      store.close();
    }
  },
});

/** A document that grew between two jobs counts as its newest reading. */
function mergeDocuments(jobs: readonly Plan[]) {
  return [...new Map(jobs.flatMap((job) => job.documents).map((document) => [document.name, document])).values()];
}
