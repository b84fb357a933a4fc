/** umagraph memorize: files → a kept memory. Run again with more input, it reads only what is new. */
import { z } from "zod";
import { exitCodes, UmaError } from "../../base/errors.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import type { Variant } from "../../graphs/variants/variant.ts";
import { bankSize } from "../../memory/bank.ts";
import { documentKinds } from "../../memory/ingest/document.ts";
import { type ReadResult, readInput } from "../../memory/ingest/read-input.ts";
import type { Memory } from "../../memory/memory.ts";
import { defineCommand } from "../command.ts";
import { onInterrupt } from "../interrupt.ts";
import { type Memorized, memorizeDocuments } from "../memorize/memorize-documents.ts";
import { unreadChunks } from "../memorize/plan-reading.ts";
import { takeReadingPlace } from "../memorize/reading-log.ts";
import { policyFlags, policyFrom, policySpec } from "../policy-flags.ts";
import { sessionFlags } from "../session-flags.ts";
import { sessionSettings } from "../session-settings.ts";
import { bankChanges, promptCut, sessionProblem } from "../show-session.ts";
import { keyOf, memoryFlag, openStore, storeFlags } from "../store-flags.ts";
import type { Terminal } from "../terminal.ts";

export const command = defineCommand({
  name: "memorize",
  summary: "read files into a memory",
  usage: "<file | folder | -> … --memory <name> [flags]",
  details: [
    "Reads text, Markdown, JSON and JSONL messages, LangChain message dumps, chat exports (WhatsApp, Signal, Telegram,",
    "Slack, Instagram), logs, mail and calendars, one session per chunk. Reading can be stopped at any time: what was",
    "read is kept, and the same command goes on. A second run with more input reads only what is new.",
  ].join("\n"),
  flags: z.object({
    ...memoryFlag,
    ...storeFlags,
    ...policyFlags,
    ...sessionFlags,
    chunkTokens: z.coerce.number().int().min(16).default(2_000).describe("Longest chunk, in tokens"),
    kind: z.enum(documentKinds).optional().describe("Read every file as this kind; by default the content decides"),
    encoding: z.string().optional().describe("Encoding of the files; detected when left out"),
    dateOrder: z
      .enum(["day-first", "month-first"])
      .optional()
      .describe("How 01/02/2024 is read where a file does not tell (day first when left out)"),
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
  async run({ flags, positionals, typed, terminal }) {
    if (positionals.length === 0) {
      throw new UmaError("config", "nothing to read: expected a file, a folder or -", {
        fix: "umagraph memorize <file> --memory <name>",
      });
    }
    const spec = policySpec(flags, typed);
    const settings = await sessionSettings(spec, flags, typed);
    const policy = await policyFrom(spec, terminal, flags);
    const variant = (await loadVariant("uma")) as Variant<Memory>;
    const session = {
      ...settings,
      seed: flags.seed,
    };
    const input = await readInput(positionals, {
      lossy: flags.lossy,
      ...(flags.encoding !== undefined && { encoding: flags.encoding }),
      ...(flags.kind !== undefined && { kind: flags.kind }),
      ...(flags.dateOrder !== undefined && { dateOrder: flags.dateOrder }),
    });
    for (const { name, reason } of input.refused) terminal.note(`left out ${name}: ${reason}`);

    const store = openStore(flags.store);
    const interrupt = onInterrupt(terminal.note);
    const progress = terminal.progress();
    try {
      const key = keyOf(flags, flags.memory);
      const place = takeReadingPlace(flags.store, key);
      const memorized = await memorizeDocuments(input.documents, {
        store,
        key,
        place,
        variant,
        policy,
        session,
        chunkTokens: flags.chunkTokens,
        stopping: interrupt.stopping,
        signal: interrupt.signal,
        note: terminal.note,
        onProgress: ({ done, total, resumed, document }) =>
          progress.update({ done, total, skipped: resumed, note: document }),
        onRecord(record) {
          const cut = promptCut(record);
          if (cut) terminal.note(`chunk ${record.position + 1}: ${cut}`);
          const problem = sessionProblem(record);
          if (problem) terminal.note(`chunk ${record.position + 1}: ${problem}`);
          if (flags.verbose) terminal.note([`chunk ${record.position + 1}`, ...bankChanges(record)].join("\n"));
        },
      }).finally(place.release);
      progress.end();
      return finish(memorized, input, flags.memory, { name: policy.name, scripted: policy.scripted }, terminal);
    } finally {
      progress.end();
      interrupt.release();
      store.close();
    }
  },
});

function finish(
  memorized: Memorized,
  { documents, refused }: ReadResult,
  name: string,
  policy: { name: string; scripted: boolean },
  terminal: Terminal,
): number {
  const { version, kept, read, failed, stopped, lastFailure } = memorized;
  const left = unreadChunks(kept).length;
  const entries = bankSize(kept.memory.bank);
  const nothing = documents.length === 0 && read === 0 && stopped === null;
  if (nothing) terminal.print(refused.length > 0 ? "nothing could be read" : "nothing to read");
  else if (read > 0) {
    const from = new Set(memorized.documents);
    terminal.print(
      `memory "${name}" version ${version}: ${count(read, "chunk")} read from ${count(from.size, "document")}, ${count(entries, "entry", "entries")}`,
    );
    if (kept.memory.core) terminal.print(`core: ${kept.memory.core}`);
  } else if (version === 0 && failed === 0 && stopped === null)
    terminal.print("nothing to read: the input holds no text");
  else if (failed === 0 && stopped === null)
    terminal.print(
      `nothing new: ${count(documents.length, "document")} read before; memory "${name}" stays at version ${version}`,
    );

  const again = "run the same command again to go on";
  if (stopped === "provider") terminal.note(`stopped: ${policy.name} gave no replies: ${lastFailure}\n${again}`);
  else if (stopped === "asked") terminal.note(`stopped; ${again}`);
  if (left > 0) terminal.note(`${count(left, "chunk")} still unread${stopped === null ? `; ${again}` : ""}`);
  else if (read > 0)
    terminal.print(
      `\nask it something:  umagraph ask --memory ${/^[\w.-]+$/.test(name) ? name : JSON.stringify(name)} "…"`,
    );

  terminal.result({
    memory: name,
    version,
    complete: stopped === null && left === 0,
    stopped,
    policy,
    documents: [...new Set(memorized.documents)],
    chunks: read,
    failed,
    unread: left,
    entries,
    core: kept.memory.core,
    refused,
  });
  if (stopped === "asked") return exitCodes.cancelled;
  if (stopped === "provider" || (failed > 0 && read === 0)) return exitCodes.provider;
  return nothing && refused.length > 0 ? exitCodes.input : exitCodes.ok;
}

const count = (n: number, one: string, many = `${one}s`) => `${n} ${n === 1 ? one : many}`;
