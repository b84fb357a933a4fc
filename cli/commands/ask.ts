/** umagraph ask: a question to a kept memory, from any process, with the entries and chunks that the answer rests on. */
import { z } from "zod";
import { exitCodes, UmaError } from "../../base/errors.ts";
import { extractAnswer } from "../../evals/metrics/extract-answer.ts";
import { loadVariant } from "../../graphs/variants/load-variant.ts";
import type { Variant } from "../../graphs/variants/variant.ts";
import type { Memory } from "../../memory/memory.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import { createSource } from "../../retrieval/source.ts";
import { answerSources } from "../answer-sources.ts";
import { defineCommand } from "../command.ts";
import { onInterrupt } from "../interrupt.ts";
import { unreadChunks } from "../memorize/plan-reading.ts";
import { policyFlags, policyFrom, policySpec } from "../policy-flags.ts";
import { sessionFlags } from "../session-flags.ts";
import { sessionSettings } from "../session-settings.ts";
import { sessionProblem } from "../show-session.ts";
import { keyOf, memoryFlag, openStore, requireKept, storeFlags } from "../store-flags.ts";
import { withoutBoxes } from "../without-boxes.ts";

export const command = defineCommand({
  name: "ask",
  summary: "answer a question from a memory",
  usage: '--memory <name> "<question>" [flags]',
  flags: z.object({
    ...memoryFlag,
    ...storeFlags,
    ...policyFlags,
    ...sessionFlags,
    version: z.coerce.number().int().min(1).optional().describe("Ask an earlier version of the memory"),
    seed: z.coerce.number().int().default(0).describe("Seed of the policy's sampling"),
    record: z.boolean().default(false).describe("With --json: include the whole session record"),
  }),
  examples: [
    { run: 'umagraph ask --memory trip "When does the train leave?"', what: "ask" },
    { run: 'umagraph ask --memory trip "Who came along?" --json', what: "the answer with its sources, for programs" },
  ],
  async run({ flags, positionals, typed, terminal }) {
    const question = positionals.join(" ").trim();
    if (question === "") throw new UmaError("config", "no question given", { fix: 'umagraph ask --memory <name> "…"' });
    const spec = policySpec(flags, typed);
    const settings = await sessionSettings(spec, flags, typed);
    const policy = await policyFrom(spec, terminal, flags);
    const store = openStore(flags.store, { mustExist: true });
    const interrupt = onInterrupt(terminal.note, { patient: false });
    try {
      const { kept, version } = requireKept(store, keyOf(flags, flags.memory), flags.version);
      const unread = unreadChunks(kept).length;
      if (unread > 0) terminal.note(`${unread} of ${kept.chunks.length} chunks are still unread: run memorize again`);
      const variant = (await loadVariant("uma")) as Variant<Memory>;
      const source = createSource(kept.chunks.map((chunk) => chunk.text));
      let record: SessionRecord | null = null;
      const answer = await variant.answer(
        kept.memory,
        { id: "ask", text: question, position: kept.chunks.length - 1 },
        {
          policy,
          source,
          ...settings,
          run: "ask",
          context: flags.memory,
          trajectory: 0,
          seed: flags.seed,
          signal: interrupt.signal,
          record: (session) => {
            record = session;
          },
        },
      );
      const session = record as SessionRecord | null;
      if (!session) throw new Error("the session left no record");
      const problem = sessionProblem(session);
      const sources = answerSources(session, kept);
      const short = answer === null ? null : extractAnswer(answer);
      terminal.print(answer === null ? (problem ?? "no answer") : withoutBoxes(answer));
      if (sources.entries.length + sources.chunks.length > 0) terminal.print("\nfrom:");
      for (const entry of sources.entries)
        terminal.print(
          `  entry "${entry.title}" (${entry.chunks.map((chunk) => `chunk ${chunk.chunk} of ${chunk.document}`).join(", ")})`,
        );
      for (const chunk of sources.chunks)
        terminal.print(`  chunk ${chunk.chunk} of ${chunk.document}: ${chunk.excerpt}`);
      terminal.result({
        question,
        answer: short,
        text: answer,
        problem,
        memory: { name: flags.memory, version },
        policy: { name: policy.name, scripted: policy.scripted },
        sources,
        turns: session.turns,
        tokens: session.tokens,
        ...(flags.record && { session }),
      });
      if (session.end === "cancelled") return exitCodes.cancelled;
      return session.error?.boundary === "policy"
        ? exitCodes.provider
        : answer === null
          ? exitCodes.failure
          : exitCodes.ok;
    } finally {
      interrupt.release();
      store.close();
    }
  },
});
