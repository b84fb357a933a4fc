import { describe, expect, it } from "vitest";
import { rng } from "../../../base/rng.ts";
import type { Span } from "../../../policies/embedded/attention.ts";
import { blocksFrom, folders, logitsOf, networkOf } from "./golden-models.ts";

const random = rng("network-test");
const prompt = (length: number) => Array.from({ length }, () => random.int(0, 82));

describe.each(Object.entries(folders))("what the network computes for a token: %s", (_, folder) => {
  it("does not depend on how its prompt is cut into calls", async () => {
    const network = await networkOf(folder);
    const tokens = prompt(61);
    const whole = logitsOf(network, tokens);
    for (const cuts of [Array(61).fill(1), [16, 16, 16, 13], [5, 1, 30, 25], [60, 1]] as number[][]) {
      let start = 0;
      for (const count of cuts) {
        network.forward([{ tokens, start, count, blocks: blocksFrom(20) }]);
        start += count;
      }
      expect(network.logits([0])[0]).toEqual(whole);
    }
  });

  it("does not depend on what else is computed in the call, nor on its place in it", async () => {
    const network = await networkOf(folder);
    const sequences = [prompt(7), prompt(20), prompt(1), prompt(33)];
    const alone = sequences.map((tokens) => logitsOf(network, tokens));
    const spans = sequences.map(
      (tokens, i): Span => ({ tokens, start: 0, count: tokens.length, blocks: blocksFrom(8 * i) }),
    );
    network.forward(spans);
    expect(network.logits([2, 0, 3, 1])).toEqual([2, 0, 3, 1].map((i) => alone[i]));
  });

  it("depends on every token before it and on their order", async () => {
    const network = await networkOf(folder);
    const tokens = prompt(34);
    const whole = logitsOf(network, tokens);
    for (const place of [0, 15, 16, 32]) {
      const other = tokens.with(place, (tokens[place]! + 1) % 83);
      expect(logitsOf(network, other)).not.toEqual(whole);
    }
    expect(logitsOf(network, [...tokens.slice(1, 2), ...tokens.slice(0, 1), ...tokens.slice(2)])).not.toEqual(whole);
  });

  it("is not disturbed by what a block held before", async () => {
    const network = await networkOf(folder);
    const tokens = prompt(20);
    const clean = logitsOf(network, tokens);
    logitsOf(network, prompt(64));
    expect(logitsOf(network, tokens)).toEqual(clean);
  });
});
