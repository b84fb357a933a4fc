/** What every policy keeps to, whatever stands behind it. A policy's own test calls this and adds what only it does. */
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { END, MessagesAnnotation, START, StateGraph } from "@langchain/langgraph";
import { afterEach, describe, expect, it } from "vitest";
import type { Policy, SampleRequest } from "../../policies/policy.ts";
import { hasToolCallMarkup } from "../../policies/tool-call-parsing/tool-call-markup.ts";
import { memoryRequest, playSession, qaRequest } from "../policies/requests.ts";

export interface PolicySubject {
  readonly policy: Policy;
  readonly close?: () => Promise<void>;
}

export interface PolicyContractOptions {
  /** Tests that do not apply, each with its reason. */
  readonly skips?: readonly { readonly test: "streams in a graph"; readonly why: string }[];
}

export function policyContract(
  name: string,
  make: () => Promise<PolicySubject>,
  { skips = [] }: PolicyContractOptions = {},
): void {
  describe(`${name} keeps the contract of a policy`, () => {
    const open: PolicySubject[] = [];
    const fresh = async () => {
      const subject = await make();
      open.push(subject);
      return subject.policy;
    };
    afterEach(async () => {
      for (const subject of open.splice(0)) await subject.close?.();
    });
    const openings: [string, () => SampleRequest][] = [
      ["phase I", () => memoryRequest()],
      ["phase II", () => qaRequest("When did Caroline go to the support group?")],
    ];

    it("names itself and counts tokens: none for nothing, one at least for anything, more for more", async () => {
      const policy = await fresh();
      expect(policy.name).not.toBe("");
      expect(typeof policy.scripted).toBe("boolean");
      expect(policy.countTokens("")).toBe(0);
      for (const text of ["a", " ", "\n", "中", "…", "\u0000"]) expect(policy.countTokens(text)).toBeGreaterThan(0);
      expect(policy.countTokens("one two three four")).toBeGreaterThan(policy.countTokens("one two"));
    });

    it.each(openings)("%s: plays a session to its end, and takes its own messages back", async (_phase, opening) => {
      const { samples } = await playSession(await fresh(), opening());
      const last = samples.at(-1)!;
      expect(last.text.trim()).not.toBe("");
      expect(hasToolCallMarkup(last.text)).toBe(false);
      expect(samples.length).toBeGreaterThan(1);
    });

    it.each(openings)(
      "%s: every call has an id of its own, under which the message carries it",
      async (_phase, opening) => {
        const { samples } = await playSession(await fresh(), opening());
        const ids = samples.flatMap((sample) => sample.calls.map((call) => call.id));
        expect(new Set(ids).size).toBe(ids.length);
        for (const sample of samples) {
          expect(sample.message.tool_calls?.map((call) => call.id)).toEqual(sample.calls.map((call) => call.id));
          expect(sample.message).toBeInstanceOf(AIMessage);
        }
      },
    );

    it.each(openings)("%s: a call has arguments or says why it has none", async (_phase, opening) => {
      const { samples } = await playSession(await fresh(), opening());
      for (const call of samples.flatMap((sample) => sample.calls)) {
        expect(call.args === null).toBe(call.error !== null);
        if (call.error !== null) expect(call.error).not.toBe("");
        if (call.repaired) expect(call.args).not.toBeNull();
      }
    });

    it.each(openings)("%s: the request stays as it was", async (_phase, opening) => {
      const given = opening();
      const before = JSON.stringify(given);
      await (await fresh()).sample(given);
      expect(JSON.stringify(given)).toBe(before);
    });

    it.each(openings)("%s: keeps nothing from one request to the next", async (_phase, opening) => {
      const policy = await fresh();
      const [first] = (await playSession(policy, opening())).samples;
      const [again] = (await playSession(policy, opening())).samples;
      expect({ text: again!.text, calls: again!.calls }).toEqual({ text: first!.text, calls: first!.calls });
    });

    it("stops when it was cancelled before it began", async () => {
      const policy = await fresh();
      const request = { ...memoryRequest(), signal: AbortSignal.abort() };
      await expect(policy.sample(request)).rejects.toMatchObject({ code: "cancelled" });
    });

    const skip = skips.find((one) => one.test === "streams in a graph");
    it.skipIf(skip)(
      `streams in a graph that streams its messages${skip ? ` (skipped: ${skip.why})` : ""}`,
      async () => {
        const policy = await fresh();
        const opening = memoryRequest();
        const graph = new StateGraph(MessagesAnnotation)
          .addNode("sample", async (_state, config) => {
            const sample = await policy.sample({ ...opening, config });
            return { messages: [sample.message] };
          })
          .addEdge(START, "sample")
          .addEdge("sample", END)
          .compile();
        const direct = await policy.sample(opening);
        const streamed: unknown[] = [];
        let final: AIMessage | undefined;
        const input = { messages: [new HumanMessage("go")] };
        for await (const [mode, part] of await graph.stream(input, { streamMode: ["messages", "values"] })) {
          if (mode === "messages") streamed.push(part);
          else final = (part as { messages: AIMessage[] }).messages.at(-1) as AIMessage;
        }
        expect(streamed.length).toBeGreaterThan(0);
        expect(final?.tool_calls?.map(({ name, args }) => ({ name, args }))).toEqual(
          direct.message.tool_calls?.map(({ name, args }) => ({ name, args })),
        );
      },
    );
  });
}
