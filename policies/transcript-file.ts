/**
 * A transcript in a file: a line that says what it is and of which policy, then a line per turn, each written when the
 * turn was had. A run that is killed leaves a file that plays as far as it goes, and a later run adds to it.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { messageOf, UmaError } from "../base/errors.ts";
import { openJsonl, readJsonl } from "../base/jsonl.ts";
import { Transcript, type TranscriptTurn } from "./transcript.ts";

/** Adds to the file, or begins it. Throws `config` for a file that holds something else or another policy's turns. */
export function transcriptWriter(path: string, policy: string): (turn: TranscriptTurn) => void {
  const before = headOf(path);
  if (before === null) append(path, { format: "umagraph-transcript", version: 1, policy });
  else if (before !== policy)
    throw new UmaError("config", `${path} holds a transcript of ${before}, not of ${policy}`, {
      fix: "name another file",
    });
  return (turn) => append(path, turn);
}

/** Reads what `transcriptWriter` wrote, and the JSON of a whole transcript too. Throws `input`. */
export function readTranscript(path: string): Transcript {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new UmaError("input", `cannot read the transcript ${path}: ${messageOf(cause)}`, { cause });
  }
  const parsed = Transcript.safeParse(wholeJson(text) ?? fromLines(path));
  if (parsed.success) return parsed.data;
  throw new UmaError("input", `${path} is no transcript: ${z.prettifyError(parsed.error)}`, {
    fix: "record one with --record-transcript, or with recordingPolicy",
  });
}

/** Null when the text is not one JSON value, or is the first line alone. */
function wholeJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return Head.safeParse(value).success ? null : value;
  } catch {
    return null;
  }
}

function fromLines(path: string): unknown {
  const [head, ...turns] = readJsonl<object>(path).values;
  return { ...head, turns };
}

const Head = Transcript.omit({ turns: true }).strict();

/** The policy whose turns the file holds; null for a file that is not there, or empty. */
function headOf(path: string): string | null {
  let first: unknown;
  try {
    [first] = readJsonl(path).values;
  } catch (thrown) {
    first = thrown;
  }
  const head = Head.safeParse(first);
  if (head.success) return head.data.policy;
  if (first === undefined && isEmpty(path)) return null;
  throw new UmaError("config", `${path} is there already and cannot be added to: it holds no recorded transcript`, {
    fix: "name another file",
  });
}

function isEmpty(path: string): boolean {
  try {
    return readFileSync(path).length === 0;
  } catch {
    return true; // it is not there; what else is wrong is said when it is written to
  }
}

/** Opened for each turn: a policy is never closed, so nobody would close its file. */
function append(path: string, line: object): void {
  const writer = openJsonl(path, { fsync: false });
  try {
    writer.append(line);
  } finally {
    writer.close();
  }
}
