/**
 * Samples many sequences at once in one loop over the network: whoever asks meanwhile joins at the next step.
 *
 * A step computes the next token of every sequence under way and a piece of the prompts that wait. A prompt is computed
 * from where it parts from what is in the cache: G samples of one prompt compute it once, a session's next turn only what
 * was added. Each sequence draws from its own seed and its numbers do not depend on its neighbours, so neither does it.
 * Between steps the event loop has its turn.
 */
import { setImmediate as turn } from "node:timers/promises";
import { UmaError } from "../../base/errors.ts";
import { type Rng, rng } from "../../base/rng.ts";
import type { SampledTokens, TokenRequest, TokenSampler } from "../token-exact/token-sampler.ts";
import type { Span } from "./attention.ts";
import { tokenChooser } from "./choose-token.ts";
import { BLOCK } from "./kv-blocks.ts";
import { type PrefixNode, prefixCache } from "./prefix-cache.ts";
import type { Network, NetworkSize } from "./qwen3-network.ts";

export interface BatchSamplerOptions {
  /** Version of the weights. */
  readonly weights: string | null;
  /** 0 is greedy. */
  readonly temperature: number;
}

/** What was done so far, in tokens. */
export interface SamplerCounts {
  /** Of prompts, in steps of prompts. */
  readonly computed: number;
  /** Of prompts, found in the cache. */
  readonly reused: number;
  readonly sampled: number;
  readonly steps: number;
}

export interface BatchSampler extends TokenSampler {
  readonly maxContext: number;
  counts(): SamplerCounts;
}

interface Sequence {
  readonly request: TokenRequest;
  readonly random: Rng;
  readonly stops: ReadonlySet<number>;
  /** Prompt and completion. */
  readonly tokens: number[];
  readonly promptLength: number;
  readonly limit: number;
  readonly logprobs: number[];
  /** Nodes of whole blocks of tokens, from the beginning. */
  readonly path: PrefixNode[];
  /** Blocks of all tokens that are in the cache. */
  readonly blocks: number[];
  /** Tokens that are in the cache. */
  computed: number;
  readonly reserved: number;
  readonly resolve: (sampled: SampledTokens) => void;
  readonly reject: (reason: unknown) => void;
}

type Waiting = Pick<Sequence, "request" | "resolve" | "reject">;

export function batchSampler(
  network: Network,
  size: NetworkSize,
  { weights, temperature }: BatchSamplerOptions,
): BatchSampler {
  const cache = prefixCache(size.blocks);
  const choose = tokenChooser(network.config.vocabulary);
  const waiting: Waiting[] = [];
  let running: Sequence[] = [];
  let reserved = 0;
  let looping = false;
  const counts = { computed: 0, reused: 0, sampled: 0, steps: 0 };

  const takeBlock = () => {
    const block = cache.take();
    network.clearBlock(block);
    return block;
  };

  const begin = ({ request, resolve, reject }: Waiting, need: number): Sequence => {
    const tokens = Array.from(request.promptIds);
    const path: PrefixNode[] = [];
    for (let end = BLOCK; end <= tokens.length; end += BLOCK)
      path.push(cache.enter(path.at(-1) ?? null, tokens.slice(end - BLOCK, end)));
    reserved += need;
    return {
      ...{ request, resolve, reject, tokens, path, reserved: need },
      random: rng("embedded-policy", request.seed),
      stops: new Set(request.stopIds),
      promptLength: tokens.length,
      limit: Math.min(tokens.length + request.maxTokens, size.maxContext),
      ...{ logprobs: [], blocks: [], computed: 0 },
    };
  };
  const end = ({ path, blocks, reserved: held }: Sequence) => {
    const shared = new Set(path.map((node) => node.block));
    for (const block of blocks) if (!shared.has(block)) cache.give(block);
    cache.leave(path);
    reserved -= held;
  };

  const admit = () => {
    while (waiting.length > 0 && running.length < size.spans) {
      const { promptIds, maxTokens } = waiting[0]!.request;
      // one more than its tokens fill: the last block of a prompt is computed again where its logits are wanted
      const need = Math.ceil(Math.min(promptIds.length + maxTokens, size.maxContext) / BLOCK) + 1;
      if (reserved + need > size.blocks) return;
      running.push(begin(waiting.shift()!, need));
    }
  };
  const dropCancelled = () => {
    const cancelled = ({ request }: { request: TokenRequest }) => request.signal?.aborted === true;
    const stopped = () => new UmaError("cancelled", "sampling was cancelled");
    for (const sequence of running.filter(cancelled)) {
      end(sequence);
      sequence.reject(stopped());
    }
    running = running.filter((sequence) => !cancelled(sequence));
    for (const one of waiting.filter(cancelled)) {
      waiting.splice(waiting.indexOf(one), 1);
      one.reject(stopped());
    }
  };

  /** Goes on behind what is in the cache by now. One token is always left, since its logits are wanted. */
  const reuse = (sequence: Sequence) => {
    const { path, blocks, tokens } = sequence;
    while (sequence.computed % BLOCK === 0 && sequence.computed + BLOCK < tokens.length) {
      const block = path[sequence.computed / BLOCK]?.block ?? null;
      if (block === null) break;
      blocks.push(block);
      sequence.computed += BLOCK;
      counts.reused += BLOCK;
    }
  };
  /** How many tokens of the sequence come next: whole blocks until the last, none that a neighbour computes in this step. */
  const share = (sequence: Sequence, room: number, claimed: Set<PrefixNode>): number => {
    const { path, tokens, computed } = sequence;
    if (tokens.length - computed === 1) return 1;
    const most = Math.min(tokens.length, computed + Math.min(room, size.spanRows));
    let to = computed;
    while (to < most) {
      const node = path[Math.floor(to / BLOCK)];
      const next = Math.min(most, (Math.floor(to / BLOCK) + 1) * BLOCK);
      if (next % BLOCK !== 0 && next < tokens.length) break;
      if (node && next < tokens.length) {
        if (claimed.has(node)) break;
        claimed.add(node);
      }
      to = next;
    }
    return to - computed;
  };
  const plan = (): { sequence: Sequence; span: Span }[] => {
    const claimed = new Set<PrefixNode>();
    let room = size.rows - running.length;
    return running.flatMap((sequence) => {
      if (sequence.computed < sequence.promptLength) reuse(sequence);
      const { tokens, computed: start, blocks } = sequence;
      const count = share(sequence, room, claimed);
      if (count === 0) return [];
      room -= count - 1;
      while (blocks.length * BLOCK < start + count) blocks.push(takeBlock());
      return [{ sequence, span: { tokens, start, count, blocks } }];
    });
  };

  /** Blocks that have become full are found by those who come after. */
  const publish = ({ tokens, path, blocks }: Sequence, from: number, to: number) => {
    for (let i = Math.floor(from / BLOCK); (i + 1) * BLOCK <= to; i++) {
      path[i] ??= cache.enter(path[i - 1] ?? null, tokens.slice(i * BLOCK, (i + 1) * BLOCK));
      const node = path[i]!;
      if (node.block === null) node.block = blocks[i]!;
      else if (node.block !== blocks[i]) {
        // somebody else has the same numbers
        cache.give(blocks[i]!);
        blocks[i] = node.block;
      }
    }
  };
  const draw = (sequence: Sequence, logits: Float32Array): boolean => {
    const { tokens, logprobs, stops, random, limit } = sequence;
    const { id, logprob } = choose(logits, temperature, temperature === 0 ? 0 : random.next());
    tokens.push(id);
    logprobs.push(logprob);
    counts.sampled++;
    return stops.has(id) || tokens.length >= limit;
  };
  const finish = (sequence: Sequence) => {
    const { tokens, promptLength, logprobs, stops, resolve } = sequence;
    end(sequence);
    const stop = stops.has(tokens.at(-1)!) ? "stop" : "length";
    resolve({
      ids: Int32Array.from(tokens.slice(promptLength)),
      logprobs: Float32Array.from(logprobs),
      ...{ stop, weights },
    });
  };

  const step = () => {
    const planned = plan();
    network.forward(planned.map(({ span }) => span));
    counts.steps++;
    const drawing: number[] = [];
    planned.forEach(({ sequence, span }, index) => {
      const before = sequence.computed;
      sequence.computed += span.count;
      if (before < sequence.promptLength) counts.computed += span.count;
      publish(sequence, before, sequence.computed);
      if (sequence.computed === sequence.tokens.length) drawing.push(index);
    });
    const logits = network.logits(drawing);
    const done = new Set<Sequence>();
    drawing.forEach((index, row) => {
      const { sequence } = planned[index]!;
      try {
        if (!draw(sequence, logits[row]!)) return;
        finish(sequence);
      } catch (thrown) {
        end(sequence);
        sequence.reject(thrown);
      }
      done.add(sequence);
    });
    if (done.size > 0) running = running.filter((sequence) => !done.has(sequence));
  };

  const loop = async () => {
    while (true) {
      await turn();
      dropCancelled();
      admit();
      if (running.length === 0) break;
      step();
    }
    looping = false;
  };
  /** Nobody waits for ever for a loop that has ended. */
  const giveUp = (reason: unknown) => {
    looping = false;
    for (const sequence of running) end(sequence);
    for (const { reject } of [...running, ...waiting.splice(0)]) reject(reason);
    running = [];
  };

  return {
    weights,
    maxContext: size.maxContext,
    counts: () => ({ ...counts }),
    sample: (request) =>
      new Promise((resolve, reject) => {
        checkRequest(request, network.config.vocabulary, size.maxContext);
        waiting.push({ request, resolve, reject });
        if (looping) return;
        looping = true;
        loop().catch(giveUp);
      }),
  };
}

function checkRequest({ promptIds, maxTokens, signal }: TokenRequest, vocabulary: number, maxContext: number): void {
  if (signal?.aborted) throw new UmaError("cancelled", "sampling was cancelled before it began");
  if (promptIds.length === 0 || promptIds.length >= maxContext)
    throw new UmaError("config", `expected a prompt of 1 to ${maxContext - 1} tokens, got ${promptIds.length}`);
  if (!(maxTokens >= 1)) throw new UmaError("config", `expected maxTokens of at least 1, got ${maxTokens}`);
  const stray = promptIds.find((id) => id < 0 || id >= vocabulary);
  if (stray !== undefined)
    throw new UmaError("config", `the model has the tokens 0 to ${vocabulary - 1}, the prompt holds ${stray}`, {
      fix: "put the tokenizer.json beside the weights that belongs to them",
    });
}
