/**
 * The expert in the style `entries` with bad habits: the protocol is right, what is done by it is often not. What a policy
 * learns from it is a start from which outcomes alone can teach (contract: the RL demo's mixed-quality cold start).
 *
 * Each habit has a rate, and whether it strikes is drawn once per session, from the seed and what the session is shown, so
 * that the turns of a session agree. Edits stay right often enough that trying one pays.
 */
import { rng } from "../../base/rng.ts";
import type { ScriptedReply, ScriptedTurn } from "../scripted-chat-model.ts";
import { isCorrection } from "./cues.ts";
import { entriesCore } from "./keep-entries.ts";
import { readDialogue } from "./read-dialogue.ts";
import { readSentence } from "./read-sentence.ts";

/** Shares of the sessions in which a habit strikes, where it can. */
export interface Habits {
  /** One expense of several is not written down. */
  readonly dropExpense: number;
  /** What is put right in the same session stays as it was said first. */
  readonly ignoreCorrection: number;
  /** Edits and refunds of earlier days are passed over. */
  readonly skipEdit: number;
  /** A digit of the date in a title is wrong. */
  readonly wrongTitle: number;
  /** The question's dates are left out. */
  readonly noRange: number;
  /** Of several categories only the first is asked for. */
  readonly firstCategory: number;
  readonly wrongOperation: number;
  /** An answer without a look. */
  readonly noLook: number;
  /** A tool is called that answering does not have. */
  readonly illegalCall: number;
}

export const badHabits: Habits = {
  dropExpense: 0.4,
  ignoreCorrection: 0.6,
  skipEdit: 0.45,
  wrongTitle: 0.1,
  noRange: 0.5,
  firstCategory: 0.5,
  wrongOperation: 0.12,
  noLook: 0.1,
  illegalCall: 0.2,
};

type Script = (turn: ScriptedTurn) => ScriptedReply;
type Call = NonNullable<ScriptedReply["calls"]>[number];

export function withHabits(script: Script, habits: Habits): Script {
  return (turn) => {
    const strikes = (habit: keyof Habits) => rng("habit", habit, turn.prompt).next() < habits[habit];
    const ignoring = strikes("ignoreCorrection");
    const reply = script(ignoring ? { ...turn, prompt: withoutCorrections(turn.prompt) } : turn);
    if (!turn.prompt.includes("<chunk>\n")) return answering(reply, turn, strikes);
    return reply.calls && turn.turn === 0 ? keeping(reply.calls, turn, strikes) : goingOn(reply, strikes("skipEdit"));
  };
}

/** User lines that put right what this session said: they name no date. */
function withoutCorrections(prompt: string): string {
  return prompt
    .split("\n")
    .filter((line) => {
      const [utterance] = readDialogue(line);
      if (utterance?.speaker !== "User") return true;
      const sentence = readSentence(utterance.text);
      return !sentence || sentence.dates.length > 0 || !isCorrection(sentence.shape);
    })
    .join("\n");
}

const isEdit = ({ name }: Call) => name !== "memory_add";

function keeping(calls: readonly Call[], turn: ScriptedTurn, strikes: (habit: keyof Habits) => boolean): ScriptedReply {
  const random = rng("habit", "which", turn.prompt);
  let kept = strikes("skipEdit") ? calls.filter((call) => !isEdit(call)) : [...calls];
  const adds = kept.filter((call) => !isEdit(call));
  if (adds.length > 1 && strikes("dropExpense")) {
    const dropped = random.pick(adds);
    kept = kept.filter((call) => call !== dropped);
  }
  if (kept.length > 0 && strikes("wrongTitle")) {
    const at = random.int(0, kept.length - 1);
    kept = kept.map((call, k) => (k === at ? withWrongDay(call, random.int(1, 9)) : call));
  }
  return kept.length > 0 ? { calls: kept } : { text: entriesCore };
}

/** Later turns go on with edits that were begun; what was dropped in the first is not made up for. */
function goingOn(reply: ScriptedReply, skips: boolean): ScriptedReply {
  const kept = skips ? [] : (reply.calls ?? []).filter(isEdit);
  return kept.length > 0 ? { calls: kept } : { text: entriesCore };
}

/** Another last digit of the day: "2024-02-23 Coffee" becomes "2024-02-27 Coffee". */
function withWrongDay(call: Call, by: number): Call {
  const title = String(call.args.title);
  const digit = (Number(title[9]) + by) % 10;
  return { ...call, args: { ...call.args, title: `${title.slice(0, 9)}${digit}${title.slice(10)}` } };
}

function answering(reply: ScriptedReply, turn: ScriptedTurn, strikes: (habit: keyof Habits) => boolean): ScriptedReply {
  if (turn.turn === 0 && strikes("noLook")) return { text: "\\boxed{0.00}" };
  if (turn.turn === 0 && strikes("illegalCall"))
    return { calls: [{ name: "memory_add", args: { title: "question", content: "answer" } }] };
  if (!reply.calls) return reply;
  return {
    calls: reply.calls.map((call) => {
      let args: Record<string, unknown> = { ...call.args };
      if (strikes("noRange")) {
        const { from: _from, to: _to, ...rest } = args;
        args = rest;
      }
      if (Array.isArray(args.scenes) && args.scenes.length > 1 && strikes("firstCategory"))
        args = { ...args, scenes: args.scenes.slice(0, 1) };
      if (strikes("wrongOperation")) args = { ...args, operation: args.operation === "sum" ? "max" : "sum" };
      return { ...call, args };
    }),
  };
}
