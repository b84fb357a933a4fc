/** A memory (UMA §2.1): the core, one running summary that is always in sight, and the bank of titled entries. */
import { type Bank, emptyBank } from "./bank.ts";

export interface Memory {
  readonly core: string;
  readonly bank: Bank;
}

export const emptyMemory: Memory = Object.freeze({ core: "", bank: emptyBank });
