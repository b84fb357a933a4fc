/**
 * `ledger-expert`: a scripted policy that keeps a ledger of the spending it is told about, and answers from it.
 *
 * It knows no seed and no gold answer: it sees the messages and the tools that a model would see, reads English expense
 * talk by rules of its own, and calls the real tools. It is a floor and an aid for tests, never a result.
 */
import { readSection } from "../prompt-sections.ts";
import { type ScriptedPolicy, type ScriptedReply, type ScriptedTurn, scriptedPolicy } from "../scripted-chat-model.ts";
import { answerQuestion } from "./answer-question.ts";
import { keepBooks } from "./keep-books.ts";
import { readSessions, type Session } from "./read-sessions.ts";
import { withMistakes } from "./with-mistakes.ts";

/** `noise`: the share of replies that go wrong, each by its own seed. */
export const ledgerExpert = ({ noise = 0 }: { readonly noise?: number | undefined } = {}): ScriptedPolicy =>
  scriptedPolicy({
    name: noise === 0 ? "ledger-expert" : `ledger-expert (noise ${noise})`,
    script: withMistakes(ledgerScript(), noise),
  });

/** The policy as a function of what it is shown. */
export function ledgerScript(): (turn: ScriptedTurn) => ScriptedReply {
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
      return keepBooks(turn, sessionsOf(chunk), readSection(turn.prompt, "core_memory") ?? "");
    return answerQuestion(turn, question ?? "");
  };
}
