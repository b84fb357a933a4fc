import { describe, expect, it } from "vitest";
import { withMistakes } from "../../../policies/ledger-expert/with-mistakes.ts";
import type { ScriptedReply, ScriptedTurn } from "../../../policies/scripted-chat-model.ts";

const turn = (seed: number): ScriptedTurn => ({
  messages: [],
  tools: new Set(),
  seed,
  maxTokens: 1_000,
  prompt: "",
  turn: 0,
  exchanges: [],
});
const calls = [
  { name: "memory_add", args: { title: "2024-02-23 food", content: "12.50" } },
  { name: "memory_add", args: { title: "2024-02-24 food", content: "7.00" } },
];
const always = (reply: ScriptedReply) => withMistakes(() => reply, 1);
const seeds = Array.from({ length: 400 }, (_, seed) => seed);

describe("the expert with mistakes", () => {
  it("makes none at a rate of 0, and the same ones for the same seed", () => {
    const script = () => ({ calls });
    expect(withMistakes(script, 0)).toBe(script);
    for (const seed of seeds) expect(always({ calls })(turn(seed))).toEqual(always({ calls })(turn(seed)));
  });

  it("errs as often as it is told to", () => {
    const noisy = withMistakes(() => ({ calls }), 0.2);
    const wrong = seeds.filter((seed) => noisy(turn(seed)).calls !== calls).length;
    expect(wrong / seeds.length).toBeGreaterThan(0.14);
    expect(wrong / seeds.length).toBeLessThan(0.26);
  });

  it("drops a call, changes one digit, leaves out an argument or calls a tool that there is not", () => {
    const kinds = new Set(
      seeds.map((seed) => {
        const reply = always({ calls })(turn(seed)).calls!;
        if (reply.length === 1) return "dropped";
        const changed = reply.filter((call, k) => JSON.stringify(call) !== JSON.stringify(calls[k]));
        expect(changed).toHaveLength(1);
        const [call] = changed;
        if (call!.name !== "memory_add") return "tool";
        if (Object.keys(call!.args).length === 1) return "argument";
        const before = JSON.stringify(calls[reply.indexOf(call!)]!.args);
        const after = JSON.stringify(call!.args);
        expect([...after].filter((letter, at) => letter !== before[at])).toHaveLength(1);
        return "digit";
      }),
    );
    expect(kinds).toEqual(new Set(["dropped", "digit", "argument", "tool"]));
  });

  it("answers a digit off, and leaves a text without digits alone", () => {
    for (const seed of seeds.slice(0, 50)) {
      const said = always({ text: "\\boxed{171.49}" })(turn(seed)).text!;
      expect(said).toMatch(/^\\boxed\{\d{3}\.\d\d\}$/);
      expect(said).not.toBe("\\boxed{171.49}");
      expect(always({ text: "nothing" })(turn(seed))).toEqual({ text: "nothing" });
    }
  });
});
