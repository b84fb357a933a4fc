/** Every set of forms by what it does: for the README's grammar, the vocabulary, and the tests that prove held-out wording unseen. */
import { ask } from "./ask.ts";
import * as change from "./change.ts";
import { chat, chatReply } from "./chat.ts";
import type { FormSet } from "./form.ts";
import * as frame from "./frame.ts";
import * as spend from "./spend.ts";

export interface CatalogEntry {
  readonly speaker: "User" | "Assistant";
  /** What a line of this set does to the ledger; `chat` nothing; `ask` is a question, outside the dialogues. */
  readonly act: "spend" | "correct" | "edit" | "refund" | "chat" | "ask";
  readonly set: FormSet;
}

const { acknowledge, acknowledgeMany, acknowledgeBriefly, splitQuestion, askToConfirm, confirm, ...spending } = spend;
const { acknowledgeChange, acknowledgeRefund, acknowledgeRemoval, ...changes } = change;

const entries = (
  sets: Readonly<Record<string, FormSet>>,
  act: (name: string) => CatalogEntry["act"],
  speaker: CatalogEntry["speaker"],
  prefix = "",
): [string, CatalogEntry][] =>
  Object.entries(sets).map(([name, set]) => [`${prefix}${name}`, { speaker, act: act(name), set }]);

const changeActs: Readonly<Record<keyof typeof changes, CatalogEntry["act"]>> = {
  correctImmediate: "correct",
  correctNamed: "correct",
  edit: "edit",
  refundPart: "refund",
  refundAll: "refund",
};

export const catalog: Readonly<Record<string, CatalogEntry>> = Object.fromEntries([
  ...entries(spending, () => "spend", "User"),
  ...entries(changes, (name) => changeActs[name as keyof typeof changes], "User"),
  ...entries(chat, () => "chat", "User", "chat."),
  ...entries(
    { confirm, greeting: frame.greeting, firstGreeting: frame.firstGreeting, farewell: frame.farewell },
    () => "chat",
    "User",
  ),
  ...entries(
    {
      acknowledge,
      acknowledgeMany,
      acknowledgeBriefly,
      splitQuestion,
      askToConfirm,
      acknowledgeChange,
      acknowledgeRefund,
      acknowledgeRemoval,
      greetingReply: frame.greetingReply,
      farewellReply: frame.farewellReply,
    },
    () => "chat",
    "Assistant",
  ),
  ...entries(chatReply, () => "chat", "Assistant", "reply."),
  ...entries(ask, () => "ask", "User", "ask."),
]);
