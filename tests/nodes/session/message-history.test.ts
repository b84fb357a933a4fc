import { AIMessage, AIMessageChunk, HumanMessage, RemoveMessage, ToolMessage } from "@langchain/core/messages";
import { messagesStateReducer } from "@langchain/langgraph";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MessageHistory } from "../../../nodes/session/message-history.ts";

const { reducer } = MessageHistory;
const human = (id: string, content = id) => new HumanMessage({ id, content });
const plain = (messages: ReturnType<typeof reducer>) => messages.map(({ id, content }) => [id, content]);

describe("the message history", () => {
  it("gives what LangGraph's own reducer gives, for any mix of new, edited and removed messages", () => {
    const update = fc.array(
      fc.oneof(
        fc
          .record({ id: fc.constantFrom("a", "b", "c", "d"), content: fc.string() })
          .map((fields) => new HumanMessage(fields)),
        fc.constantFrom("a", "b").map((id) => new RemoveMessage({ id })),
      ),
      { maxLength: 4 },
    );
    const outcome = (run: () => ReturnType<typeof reducer>) => {
      try {
        return plain(run());
      } catch (thrown) {
        return String(thrown);
      }
    };
    fc.assert(
      fc.property(fc.uniqueArray(fc.constantFrom("a", "b", "c")), update, (ids, more) => {
        const known = ids.map((id) => human(id));
        expect(outcome(() => reducer(known, more))).toEqual(outcome(() => messagesStateReducer(known, more)));
      }),
    );
  });

  it("takes plain objects, chunks and messages without an id as LangGraph does", () => {
    const known = [human("a")];
    const [, fromObject] = reducer(known, [{ role: "user", content: "hi", id: "b" }] as never);
    expect(fromObject).toBeInstanceOf(HumanMessage);
    const [, fromChunk] = reducer(known, [new AIMessageChunk({ id: "b", content: "x" })]);
    expect(AIMessageChunk.isInstance(fromChunk)).toBe(false);
    expect(fromChunk).toBeInstanceOf(AIMessage);
    expect(reducer(known, [new ToolMessage({ content: "x", tool_call_id: "1" })])[1]!.id).toBeTruthy();
    expect(reducer(known, new AIMessage({ id: "b", content: "one" }) as never)).toHaveLength(2);
  });

  it("never changes the history that it was given", () => {
    const known = Object.freeze([human("a"), human("b")]) as HumanMessage[];
    expect(plain(reducer(known, [human("c")]))).toEqual([
      ["a", "a"],
      ["b", "b"],
      ["c", "c"],
    ]);
    expect(plain(reducer(known, [human("a", "edited")]))).toEqual([
      ["a", "edited"],
      ["b", "b"],
    ]);
  });
});
