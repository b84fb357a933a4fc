/** 100,000 malformed replies, read and run: no crash, no lost core, one observation per call (issue §13). Seeded. */
import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { rng } from "../../../base/rng.ts";
import { bankSize, emptyBank, entriesOf, journalOf } from "../../../memory/bank.ts";
import { refuseText } from "../../../nodes/session/guard-text.ts";
import type { Policy } from "../../../policies/policy.ts";
import { estimateTokens } from "../../../policies/token-estimator.ts";
import { parseHermes } from "../../../policies/tool-call-parsing/parse-hermes.ts";
import type { CallVerdict } from "../../../tools/call.ts";
import { keepStart } from "../../../tools/cut-text.ts";
import { type ExecuteOptions, executeCalls } from "../../../tools/execute-calls.ts";
import type { World } from "../../../tools/tool.ts";
import { toolsets } from "../../../tools/toolsets.ts";
import { malformedReply } from "../../support/malformed-replies.ts";
import { throughLoop } from "../../support/sessions.ts";
import { bankOf, smallSource, worldOf } from "../../support/worlds.ts";

const source = smallSource();
const fresh = () =>
  worldOf(bankOf({ a: "1", "2024-04-29 Dining": "2024-04-29 | Dining | Lunch | 3.50", count: "0" }), source);

/** Throws at the first thing that is not as it must be; cheaper than an `expect` per call. */
async function check(
  text: string,
  world: World,
  options: ExecuteOptions,
  seen: Map<CallVerdict, number>,
): Promise<World> {
  const { calls } = parseHermes(text, { idPrefix: "c" });
  const { world: after, results, failure } = await executeCalls(world, calls, options);
  const wrong = (what: string) => new Error(`${what}: ${JSON.stringify(text.slice(0, 2_000))}`);
  if (failure !== null) throw wrong(`a tool failed (${failure})`);
  if (results.length !== calls.length) throw wrong(`${calls.length} calls, ${results.length} observations`);
  let spent = 0;
  let size = bankSize(world.bank);
  for (const [i, { call, verdict, observation, tokens, writes }] of results.entries()) {
    if (call !== calls[i]) throw wrong("an observation answers to another call");
    if (observation === "" && options.budget > 100_000) throw wrong("an observation is empty");
    if (verdict !== "valid" && verdict !== "repaired" && writes.length > 0)
      throw wrong(`a write by a call that is ${verdict}`);
    if (call.args === null && verdict !== "invalid" && verdict !== "refused")
      throw wrong(`an unreadable call is ${verdict}`);
    for (const { op } of writes) size += op === "add" ? 1 : op === "delete" ? -1 : 0;
    spent += tokens;
    seen.set(verdict, (seen.get(verdict) ?? 0) + 1);
  }
  if (spent > options.budget) throw wrong(`observations take ${spent} of ${options.budget} tokens`);
  if (bankSize(after.bank) !== size) throw wrong("the writes do not add up to the bank");
  if (options.phase === "qa" && after.bank !== world.bank) throw wrong("a question's call wrote");
  return after;
}

describe("malformed replies", () => {
  it.each([1, 2, 3, 4, 5])(
    "95,000 are run, part %i of 5: no crash, one observation per call, only good calls write, no question writes",
    async (part) => {
      const random = rng(20261130, "malformed", "executed", part);
      const seen = new Map<CallVerdict, number>();
      const base = { toolset: toolsets.ledger, maxCalls: 8, maxObservation: 400, countTokens: estimateTokens };
      let world = fresh();
      for (let k = 0; k < 19_000; k++) {
        if (k % 200 === 0) world = fresh();
        const phase = random.next() < 0.75 ? ("memory" as const) : ("qa" as const);
        const budget = random.next() < 0.8 ? 1_000_000 : random.int(0, 120);
        world = await check(malformedReply(random), world, { ...base, phase, budget }, seen);
      }
      // the generator reaches every verdict often enough to mean something
      for (const verdict of ["valid", "miss", "repaired", "invalid", "refused"] as const)
        expect(seen.get(verdict), verdict).toBeGreaterThan(200);
    },
    120_000,
  );

  it("arguments of a megabyte, and of ten thousand brackets, are taken or refused in no time to speak of", async () => {
    const seen = new Map<CallVerdict, number>();
    const options = {
      toolset: toolsets.paper,
      phase: "memory" as const,
      maxCalls: 8,
      maxObservation: 4_096,
      budget: 200_000,
      countTokens: estimateTokens,
    };
    const huge = "word ".repeat(200_000);
    const call = (args: string) => `<tool_call>{"name":"memory_add","arguments":${args}}</tool_call>`;
    let world = fresh();
    for (const args of [
      JSON.stringify({ title: "big", content: huge }),
      JSON.stringify({ title: huge, content: "x" }),
      JSON.stringify({ title: "big", content: huge }).slice(0, -1),
      JSON.stringify({ title: huge }),
      `{"title":"deep","content":${"[".repeat(10_000)}${"]".repeat(10_000)}}`,
      `{"title":"deep","content":${'{"a":'.repeat(5_000)}1`,
    ])
      world = await check(call(args), world, options, seen);
    expect([...entriesOf(world.bank)].find((entry) => entry.title === "big")?.content).toBe(huge);
  });

  it("6,000 in 2,000 whole sessions: the core afterwards is the old one or a plain text that was the whole reply", async () => {
    const random = rng(20261130, "malformed", "sessions");
    const ends = new Map<string, number>();
    for (let k = 0; k < 2_000; k++) {
      const last = random.next() < 0.6 ? "The new core." : malformedReply(random);
      const replies = [...Array.from({ length: random.int(1, 4) }, () => malformedReply(random)), last];
      const { record, state, bank } = await throughLoop(playingTexts(replies), {
        source,
        limits: {
          interactionTokens: random.pick([400, 2_000, 20_000]),
          maxTurns: random.pick([2, 4, 8]),
          maxCalls: 3,
          maxObservation: 300,
        },
      });
      ends.set(record.end, (ends.get(record.end) ?? 0) + 1);
      const { core } = record;
      if (core === null) throw new Error("a memory session without a core");
      if (core.committed) {
        const said = record.messages.at(-1)!;
        if (said.role !== "assistant" || core.after !== said.text.trim() || refuseText(core.after) !== null)
          throw new Error(`committed ${JSON.stringify(core.after)} after ${JSON.stringify(replies)}`);
      } else if (core.after !== "the old core") throw new Error(`the core is lost: ${JSON.stringify(replies)}`);
      const observations = record.messages.filter((message) => message.role === "tool");
      if (observations.length !== record.calls.length)
        throw new Error(`calls without observation: ${JSON.stringify(replies)}`);
      if (record.tokens.interaction > record.budget.interaction)
        throw new Error(`${record.tokens.interaction} tokens of ${record.budget.interaction}`);
      const written = record.calls.flatMap((call) => call.writes);
      if ([...journalOf(bank())].length !== written.length) throw new Error("the journal is not what the record says");
      if (state.outcome?.end === "error")
        throw new Error(`a malformed reply is no failure: ${state.outcome.error?.message}`);
      expect(emptyBank.size).toBe(0);
    }
    for (const end of ["text", "budget", "turns"]) expect(ends.get(end) ?? 0, end).toBeGreaterThan(20);
  });
});

/** As a hermes policy does it: what stands in tags is called, what is left is the text. */
function playingTexts(replies: readonly string[]): Policy {
  let turn = 0;
  return {
    name: "malformed",
    scripted: true,
    weights: null,
    countTokens: estimateTokens,
    async sample({ maxTokens }) {
      // a server cuts the reply where its room ends, in the middle of whatever it is
      const content = keepStart(replies[Math.min(turn, replies.length - 1)]!, maxTokens, estimateTokens);
      const { text, calls } = parseHermes(content, { idPrefix: `c${turn++}-` });
      const tool_calls = calls.map(({ id, name, args }) => ({
        id,
        name,
        args: args ?? {},
        type: "tool_call" as const,
      }));
      return {
        message: new AIMessage({ content, tool_calls }),
        text,
        calls,
        usage: { prompt: 0, completion: estimateTokens(content) },
        cut: null,
      };
    },
  };
}
