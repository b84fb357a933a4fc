/**
 * The habit panel: which behaviours are watched, and what each of them counts (issue of the RL demo; decisions on habits).
 *
 * Exact match alone hides that training can teach a bad habit or untrain a needed one. `sessionHabits` need nothing but
 * records; `ledgerHabits` compare them with the ledger that the dialogues were made from. Sessions that failed are not
 * judged: they are the machine's behaviour, not the policy's.
 */
import type { Habit } from "./habit.ts";

const low = "low" as const;
const high = "high" as const;

export const sessionHabits = [
  {
    name: "illegalCall",
    label: "illegal call when answering",
    help: "answering sessions that call a tool which only building the memory has",
    good: low,
    kind: "share",
  },
  { name: "wrongTool", label: "no such tool", help: "calls that name a tool there is not", good: low, kind: "share" },
  {
    name: "invalidCall",
    label: "invalid call",
    help: "calls that could not be read, or with wrong arguments, or of no such tool",
    good: low,
    kind: "share",
  },
  {
    name: "miss",
    label: "miss",
    help: "calls whose title is not there, or taken already",
    good: low,
    kind: "share",
  },
  {
    name: "repairedCall",
    label: "repaired call",
    help: "calls that had to be mended before they could be read",
    good: low,
    kind: "share",
  },
  {
    name: "noLook",
    label: "answer without a look",
    help: "answers of sessions that were given nothing of the memory but its core, and made no call that was run",
    good: low,
    kind: "share",
  },
  {
    name: "emptyCore",
    label: "empty core",
    help: "memory sessions after which the core is blank",
    good: low,
    kind: "share",
  },
  {
    name: "unfinished",
    label: "session without an end",
    help: "sessions that ran out of turns or tokens before a text ended them",
    good: low,
    kind: "share",
  },
  {
    name: "bankGrowth",
    label: "bank growth",
    help: "entries added less entries deleted, per chunk",
    good: null,
    kind: "mean",
  },
] as const satisfies readonly Habit[];

export const ledgerHabits = [
  {
    name: "droppedTransaction",
    label: "drops a transaction",
    help: "memory sessions that leave at least one of their chunk's transactions unwritten",
    good: low,
    kind: "share",
  },
  {
    name: "wrongTitleDate",
    label: "wrong date in a title",
    help: "written transactions whose entry has a date in its title, and not the transaction's",
    good: low,
    kind: "share",
  },
  {
    name: "wrongDate",
    label: "wrong date",
    help: "written transactions that stand under another date, or under none",
    good: low,
    kind: "share",
  },
  {
    name: "wrongAmount",
    label: "wrong amount",
    help: "written transactions with an amount that was never said of them; the one before a correction does not count here",
    good: low,
    kind: "share",
  },
  {
    name: "wrongCategory",
    label: "wrong category",
    help: "written transactions under another sub-scene",
    good: low,
    kind: "share",
  },
  {
    name: "inventedEntry",
    label: "invented entry",
    help: "written amounts that belong to no transaction that the chunk tells of or changes",
    good: low,
    kind: "share",
  },
  {
    name: "correctionApplied",
    label: "correction applied",
    help: "written transactions that their own session corrects, with the corrected amount",
    good: high,
    kind: "share",
  },
  {
    name: "editAttempted",
    label: "edit attempted",
    help: "edits and refunds of earlier days for which the session makes a call, whatever comes of it",
    good: high,
    kind: "share",
  },
  {
    name: "editRightEntry",
    label: "edit on the right entry",
    help: "attempted edits whose entry is in the bank, with a call that reached this entry",
    good: high,
    kind: "share",
  },
  {
    name: "editRight",
    label: "edit right in effect",
    help: "edits and refunds whose entry is in the bank, after which it says what the user says",
    good: high,
    kind: "share",
  },
  {
    name: "rangeMissing",
    label: "date range missing",
    help: "queries for a question about a day or a range, without both ends of it",
    good: low,
    kind: "share",
  },
  {
    name: "rangeWrong",
    label: "date range wrong",
    help: "queries with both ends of a range, which is not the question's",
    good: low,
    kind: "share",
  },
  {
    name: "wrongOperation",
    label: "wrong operation",
    help: "queries with another operation or grouping than the question needs",
    good: low,
    kind: "share",
  },
  {
    name: "categoriesIncomplete",
    label: "categories incomplete",
    help: "queries for a question about several categories that leave one of them out",
    good: low,
    kind: "share",
  },
  {
    name: "categoriesWrong",
    label: "categories wrong",
    help: "queries with a category that the question does not name, or without the only one that it does",
    good: low,
    kind: "share",
  },
] as const satisfies readonly Habit[];

/** In the order of the panel. */
export const habits: readonly Habit[] = [...ledgerHabits, ...sessionHabits];
