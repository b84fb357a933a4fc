/**
 * The expert with a seeded rate of mistakes: trajectories that differ, for trying rollouts and credit without a model.
 *
 * Each reply goes wrong with the given probability, by its own seed: a call is left out, a digit is changed, an argument is
 * missing, a tool is called that there is not, an answer is a digit off.
 */
import { type Rng, rng } from "../../base/rng.ts";
import type { ScriptedReply, ScriptedTurn } from "../scripted-chat-model.ts";

type Call = NonNullable<ScriptedReply["calls"]>[number];

export function withMistakes(
  script: (turn: ScriptedTurn) => ScriptedReply,
  noise: number,
): (turn: ScriptedTurn) => ScriptedReply {
  if (noise === 0) return script;
  return (turn) => {
    const reply = script(turn);
    const random = rng(turn.seed, "mistake");
    if (random.next() >= noise) return reply;
    const { calls = [] } = reply;
    return calls.length > 0 ? { ...reply, calls: wrongCalls(calls, random) } : wrongText(reply, random);
  };
}

function wrongCalls(calls: readonly Call[], random: Rng): readonly Call[] {
  const at = random.int(0, calls.length - 1);
  const call = calls[at]!;
  const kinds = [
    ...(calls.length > 1 ? ["left out"] : []),
    ...(Object.values(call.args).some(hasDigit) ? ["digit", "digit"] : []),
    ...(Object.keys(call.args).length > 0 ? ["argument"] : []),
    "tool",
  ];
  const kind = random.pick(kinds);
  if (kind === "left out") return calls.filter((_, k) => k !== at);
  const wrong =
    kind === "digit" ? wrongDigit(call, random) : kind === "argument" ? without(call, random) : noTool(call);
  return calls.map((own, k) => (k === at ? wrong : own));
}

function wrongDigit(call: Call, random: Rng): Call {
  const key = random.pick(Object.keys(call.args).filter((name) => hasDigit(call.args[name])));
  return { ...call, args: { ...call.args, [key]: otherDigit(call.args[key] as string, random) } };
}

function without(call: Call, random: Rng): Call {
  const key = random.pick(Object.keys(call.args));
  const { [key]: _gone, ...args } = call.args;
  return { ...call, args };
}

const noTool = (call: Call): Call => ({ ...call, name: `${call.name}_entry` });

const wrongText = (reply: ScriptedReply, random: Rng): ScriptedReply =>
  hasDigit(reply.text) ? { ...reply, text: otherDigit(reply.text as string, random) } : reply;

const hasDigit = (value: unknown) => typeof value === "string" && /\d/.test(value);

function otherDigit(text: string, random: Rng): string {
  const places = [...text.matchAll(/\d/g)].map(({ index }) => index);
  const at = random.pick(places);
  const digit = (Number(text[at]) + random.int(1, 9)) % 10;
  return `${text.slice(0, at)}${digit}${text.slice(at + 1)}`;
}
