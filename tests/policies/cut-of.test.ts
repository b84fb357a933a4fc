import { AIMessage } from "@langchain/core/messages";
import { describe, expect, it } from "vitest";
import { cutOf } from "../../policies/cut-of.ts";

const told = (response_metadata: Record<string, unknown>) => cutOf(new AIMessage({ content: "x", response_metadata }));

describe("whether a reply was cut", () => {
  it.each([
    [{ finish_reason: "length" }, "length"],
    [{ finish_reason: "lengthlength" }, "length"],
    [{ stop_reason: "max_tokens" }, "length"],
    [{ finishReason: "MAX_TOKENS" }, "length"],
    [{ done_reason: "length" }, "length"],
    [{ status: "incomplete", incomplete_details: { reason: "max_output_tokens" } }, "length"],
    [{ finish_reason: "content_filter" }, "content_filter"],
    [{ stop_reason: "refusal" }, "content_filter"],
    [{ finishReason: "SAFETY" }, "content_filter"],
  ])("is read from what providers say: %j", (metadata, cut) => expect(told(metadata)).toBe(cut));

  it.each([
    {},
    { finish_reason: "stop" },
    { finish_reason: "tool_calls" },
    { stop_reason: "end_turn" },
    { finish_reason: null },
  ])("is null when it was not, or nobody says: %j", (metadata) => expect(told(metadata)).toBeNull());
});
