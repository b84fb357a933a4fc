/**
 * `ledger-expert`: a scripted policy that keeps a ledger of the spending it is told about, and answers from it.
 *
 * It knows no seed and no gold answer: it sees the messages and the tools that a model would see, reads English expense
 * talk by rules of its own, and calls the real tools. It is a floor and an aid for tests, never a result.
 */
import { UmaError } from "../../base/errors.ts";
import { readSection } from "../prompt-sections.ts";
import { type ScriptedPolicy, type ScriptedReply, type ScriptedTurn, scriptedPolicy } from "../scripted-chat-model.ts";
import { answerBriefly } from "./answer-briefly.ts";
import { answerQuestion } from "./answer-question.ts";
import { keepBooks } from "./keep-books.ts";
import { keepEntries } from "./keep-entries.ts";
import { readSessions, type Session } from "./read-sessions.ts";
import { badHabits, withHabits } from "./with-habits.ts";
import { withMistakes } from "./with-mistakes.ts";

/**
 * How the bank is kept: `pages`, a day's expenses in one entry and totals above them, which serves every toolset; `entries`,
 * one entry per expense and no more words than needed, for `ledger_aggregate`: what small policies learn from.
 */
export type LedgerStyle = "pages" | "entries";

export interface LedgerExpertOptions {
  /** The share of replies that go wrong, each by its own seed. */
  readonly noise?: number | undefined;
  readonly style?: LedgerStyle | undefined;
  /** With bad habits, in the style `entries`: what the start of the RL demo is trained on. */
  readonly habits?: boolean | undefined;
}

export function ledgerExpert(options: LedgerExpertOptions = {}): ScriptedPolicy {
  const { noise = 0, habits = false, style = habits ? "entries" : "pages" } = options;
  if (habits && style !== "entries")
    throw new UmaError("config", "ledger-expert: bad habits are known in the style entries only", {
      fix: "leave style out",
    });
  const script = habits ? withHabits(ledgerScript(style), badHabits) : ledgerScript(style);
  const differs = [
    ...(style === "pages" ? [] : [style]),
    ...(habits ? ["bad habits"] : []),
    ...(noise === 0 ? [] : [`noise ${noise}`]),
  ];
  return scriptedPolicy({
    name: differs.length === 0 ? "ledger-expert" : `ledger-expert (${differs.join(", ")})`,
    script: withMistakes(script, noise),
  });
}

/** The policy as a function of what it is shown. */
export function ledgerScript(style: LedgerStyle = "pages"): (turn: ScriptedTurn) => ScriptedReply {
  // the turns of a session show the same chunk; reading it once changes nothing but the time it takes
  let lastRead: { readonly chunk: string; readonly sessions: Session[] | null } | null = null;
  const sessionsOf = (chunk: string) => {
    if (lastRead?.chunk !== chunk) lastRead = { chunk, sessions: readSessions(chunk) };
    return lastRead.sessions;
  };
  return (turn) => {
    const chunk = readSection(turn.prompt, "chunk");
    const question = readSection(turn.prompt, "question");
    // a chunk may hold the tags of a question
    if (chunk !== null && (question === null || turn.prompt.indexOf("<chunk>") < turn.prompt.indexOf("<question>")))
      return style === "entries"
        ? keepEntries(turn, sessionsOf(chunk))
        : keepBooks(turn, sessionsOf(chunk), readSection(turn.prompt, "core_memory") ?? "");
    return style === "entries" ? answerBriefly(turn, question ?? "") : answerQuestion(turn, question ?? "");
  };
}
