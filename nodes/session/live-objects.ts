/**
 * Live objects that a graph's state only names: banks and sources (decisions §6).
 *
 * A bank is an immutable value, so keeping one under a fresh name after every write makes each checkpoint's name stay
 * true: going back to an earlier checkpoint finds the bank as it was. Names end with the process; a state that outlives
 * it is refused with a reason.
 */
import { UmaError } from "../../base/errors.ts";
import { type Bank, emptyBank } from "../../memory/bank.ts";
import type { Source } from "../../retrieval/source.ts";

export interface LiveObjects {
  keepBank(bank: Bank): string;
  /** "" is the empty bank. */
  bank(ref: string): Bank;
  keepSource(source: Source): string;
  /** "" is no source. */
  source(ref: string): Source | null;
}

/** Keeps the newest `capacity` banks; a loop driver throws the whole thing away with the trajectory. */
export function liveObjects(options: { capacity?: number } = {}): LiveObjects {
  const { capacity = 100_000 } = options;
  const banks = new Map<string, Bank>();
  const sources = new Map<string, Source>();
  let next = 1;
  const gone = (what: string, ref: string) =>
    new UmaError("input", `the state names ${what} "${ref}", which is not live in this process`, {
      fix: "the process was restarted since; start a new thread, or load the memory again",
    });
  return {
    keepBank(bank) {
      const ref = `bank-${next++}`;
      banks.set(ref, bank);
      if (banks.size > capacity) banks.delete(banks.keys().next().value!);
      return ref;
    },
    bank(ref) {
      if (ref === "") return emptyBank;
      const bank = banks.get(ref);
      if (!bank) throw gone("the bank", ref);
      return bank;
    },
    keepSource(source) {
      sources.set(source.id, source);
      return source.id;
    },
    source(ref) {
      if (ref === "") return null;
      const source = sources.get(ref);
      if (!source) throw gone("the context", ref);
      return source;
    },
  };
}
