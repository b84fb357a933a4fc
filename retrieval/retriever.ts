/**
 * What every search over a fixed list of documents looks like, whatever ranks them (UMA App. A.2).
 *
 * Documents are known by their position. Hits come best first, equal scores by the lower position, and there are fewer
 * than `topK` of them when fewer documents match.
 */
import { UmaError } from "../base/errors.ts";

export interface Hit {
  /** Position of the document. */
  readonly index: number;
  /** Higher is better; comparable within one list only. */
  readonly score: number;
  /** Of a fused hit: its score in each list that contained it, by the list's name. */
  readonly parts?: Readonly<Record<string, number>>;
}

export interface SearchOptions {
  /** Only documents with a position below this are seen; default all. */
  readonly visible?: number;
  readonly signal?: AbortSignal;
}

export interface Retriever {
  readonly name: string;
  /** Throws `config` for a topK or visible that is no count, `cancelled` when the signal is aborted. */
  search(query: string, topK: number, options?: SearchOptions): Promise<Hit[]>;
}

/** Checks a search's arguments and gives the number of documents that it may see. */
export function checkSearch(topK: number, size: number, options: SearchOptions = {}): number {
  checkCount("topK", topK);
  throwIfCancelled(options.signal);
  if (options.visible === undefined) return size;
  checkCount("visible", options.visible);
  return Math.min(options.visible, size);
}

export function checkCount(name: string, value: number): void {
  if (Number.isSafeInteger(value) && value >= 0) return;
  throw new UmaError("config", `${name}: expected a whole number of 0 or more, got ${value}`, {
    fix: `pass ${name} as 0, 1, 2, …`,
  });
}

export function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw new UmaError("cancelled", "the search was cancelled", { cause: signal.reason });
}

/** Waits no longer than the caller wants to; the work itself goes on for whoever shares it. */
export function orCancelled<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  return new Promise((resolve, reject) => {
    const onAbort = () => {
      try {
        throwIfCancelled(signal);
      } catch (cancelled) {
        reject(cancelled);
      }
    };
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", onAbort));
  });
}
