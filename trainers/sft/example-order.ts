/**
 * In which order examples are trained on: epochs, each shuffled by its own seed, as batches of about so many tokens.
 *
 * A place in the order is two numbers, so a resumed run goes on with exactly the batch that would have come next.
 */
import { rng } from "../../base/rng.ts";

export interface Place {
  readonly epoch: number;
  /** Examples of the epoch that have been given. */
  readonly at: number;
}

export interface OrderedBatch {
  /** Indexes of examples. */
  readonly members: readonly number[];
  readonly next: Place;
}

export interface ExampleOrder {
  batchAt(place: Place): OrderedBatch;
}

export interface OrderOptions {
  readonly seed: number;
  readonly batchTokens: number;
  /** So many batches of examples no longer than `tokens` come first. */
  readonly shortFirst?: { readonly batches: number; readonly tokens: number } | null;
}

/** `lengths`: tokens of each example. A batch ends with the example that reaches `batchTokens`. */
export function exampleOrder(lengths: ArrayLike<number>, options: OrderOptions): ExampleOrder {
  const { seed, batchTokens, shortFirst = null } = options;
  let shuffled: { readonly epoch: number; readonly order: readonly number[] } | null = null;
  const orderOf = (epoch: number) => {
    if (shuffled?.epoch === epoch) return shuffled.order;
    const all = Array.from({ length: lengths.length }, (_, i) => i);
    const order = rng(seed, "sft", "order", epoch).shuffle(all);
    shuffled = { epoch, order: epoch === 0 && shortFirst ? withShortFirst(order, shortFirst) : order };
    return shuffled.order;
  };
  const withShortFirst = (order: readonly number[], { batches, tokens }: NonNullable<OrderOptions["shortFirst"]>) => {
    let left = batches * batchTokens;
    const first: number[] = [];
    const rest: number[] = [];
    for (const member of order) {
      const length = lengths[member]!;
      const taken = left > 0 && length <= tokens;
      if (taken) left -= length;
      (taken ? first : rest).push(member);
    }
    return [...first, ...rest];
  };
  return {
    batchAt({ epoch, at }) {
      const order = orderOf(epoch);
      const members: number[] = [];
      let tokens = 0;
      let end = at;
      for (; end < order.length && tokens < batchTokens; end++) {
        members.push(order[end]!);
        tokens += lengths[order[end]!]!;
      }
      return { members, next: end < order.length ? { epoch, at: end } : { epoch: epoch + 1, at: 0 } };
    },
  };
}
