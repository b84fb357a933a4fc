/** Sessions that are ready to run: those of the longest remaining trajectory first, in a fixed order among equals. */

export interface Ranked {
  /** Sessions that can only come after one another, this one included: what the trajectory's end still waits for. */
  readonly remaining: number;
  /** Breaks ties: the lower first. */
  readonly order: readonly number[];
}

export interface JobQueue<Job extends Ranked> {
  readonly size: number;
  push(job: Job): void;
  /** Undefined when nothing is ready. */
  pop(): Job | undefined;
}

/** A binary heap: O(log n) per job. */
export function jobQueue<Job extends Ranked>(): JobQueue<Job> {
  const heap: Job[] = [];
  const swap = (a: number, b: number) => {
    [heap[a], heap[b]] = [heap[b]!, heap[a]!];
  };
  return {
    get size() {
      return heap.length;
    },
    push(job) {
      heap.push(job);
      for (let at = heap.length - 1; at > 0; ) {
        const parent = (at - 1) >> 1;
        if (!before(heap[at]!, heap[parent]!)) break;
        swap(at, parent);
        at = parent;
      }
    },
    pop() {
      const first = heap[0];
      const last = heap.pop();
      if (heap.length === 0 || last === undefined) return first;
      heap[0] = last;
      for (let at = 0; ; ) {
        const left = 2 * at + 1;
        if (left >= heap.length) break;
        const right = left + 1;
        const child = right < heap.length && before(heap[right]!, heap[left]!) ? right : left;
        if (!before(heap[child]!, heap[at]!)) break;
        swap(at, child);
        at = child;
      }
      return first;
    },
  };
}

function before(one: Ranked, other: Ranked): boolean {
  if (one.remaining !== other.remaining) return one.remaining > other.remaining;
  for (const [at, rank] of one.order.entries()) {
    const theirs = other.order[at] ?? -1;
    if (rank !== theirs) return rank < theirs;
  }
  return one.order.length < other.order.length;
}
