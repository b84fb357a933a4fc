/**
 * What a user does in a session, before any word is chosen: spend, correct, edit, refund (UMA App. C.2).
 *
 * Amounts are integer cents. `ambiguous` says that the date ever had another transaction of the same sub-scene; then the
 * sentence must name the standing amount as well, which tells the two apart.
 */
import type { Subscene } from "./taxonomy.ts";

export interface Entry {
  readonly id: string;
  readonly subscene: Subscene;
  /** "a coffee", or the label "Dining - Coffee". */
  readonly item: string;
  readonly cents: number;
}

/** One line with one to three entries, or (split) a line that names the thing and a later one that names the amount. */
export interface SpendAct {
  readonly kind: "spend";
  readonly style: "single" | "label" | "pair" | "list" | "split";
  readonly entries: readonly Entry[];
}

interface ChangeAct {
  readonly id: string;
  /** The date of the transaction. */
  readonly date: string;
  readonly item: string;
  readonly before: number;
  readonly after: number | null;
  readonly ambiguous: boolean;
}

/** In the session that recorded the entry; `immediate`: directly after the line that stated it, so "it" is enough. */
export interface CorrectAct extends ChangeAct {
  readonly kind: "correct";
  readonly after: number;
  readonly immediate: boolean;
}

/** In a later session: names the date. */
export interface EditAct extends ChangeAct {
  readonly kind: "edit";
  readonly after: number;
}

/** In a later session: `after` null is a full refund, else `before - after` came back. */
export interface RefundAct extends ChangeAct {
  readonly kind: "refund";
}

export type Act = SpendAct | CorrectAct | EditAct | RefundAct;

export interface PlannedSession {
  readonly date: string;
  readonly acts: readonly Act[];
}
