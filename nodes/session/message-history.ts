/**
 * The history h_t as a state field: LangGraph's message reducer, with a short cut for what a session does in every turn.
 *
 * LangGraph's own reducer walks the whole history at each update, which makes a long session quadratic. New messages of
 * ours all have ids that were not there before; anything else (an edit, a removal, plain objects from the API) goes its way.
 */
import { BaseMessage, BaseMessageChunk } from "@langchain/core/messages";
import { MessagesValue, messagesStateReducer, ReducedValue } from "@langchain/langgraph";

type Messages = BaseMessage[];

export const MessageHistory = new ReducedValue<Messages, Messages>(MessagesValue.valueSchema, {
  inputSchema: MessagesValue.inputSchema as typeof MessagesValue.valueSchema,
  jsonSchemaExtra: MessagesValue.jsonSchemaExtra ?? {},
  reducer: (known, more) => (isNew(known, more) ? [...known, ...more] : messagesStateReducer(known, more)),
});

/** Whether `more` only appends. */
function isNew(known: Messages, more: Messages): boolean {
  if (!Array.isArray(more)) return false;
  const added = new Set<string>();
  for (const message of more) {
    if (!BaseMessage.isInstance(message) || BaseMessageChunk.isInstance(message)) return false;
    if (message.getType() === "remove" || !message.id) return false;
    added.add(message.id);
  }
  return added.size === more.length && !known.some((message) => added.has(message.id ?? ""));
}
