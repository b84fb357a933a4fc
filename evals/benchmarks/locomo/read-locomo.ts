/**
 * Reading the published LoCoMo file (Maharana et al. 2024, locomo10.json; CC BY-NC 4.0, so it is never part of this
 * repository): an array of conversations, each with sessions of turns and with questions about them.
 *
 * What is irregular in the file is settled here: sessions are sorted by number, dates without a session (conv-26) are
 * ignored, empty sessions are left out, evidence ids are taken apart ("D8:6; D9:17", "D:11:26", "D30:05"), and numbers
 * given as answers become text.
 */
import { readFileSync } from "node:fs";
import { z } from "zod";
import { messageOf, UmaError } from "../../../base/errors.ts";
import { answerText } from "../../metrics/answer-text.ts";

export interface LocomoTurn {
  /** "D1:3", with the numbers in plain form. */
  readonly id: string;
  readonly speaker: string;
  readonly text: string;
  /** What an image model saw in the picture that was shared with the turn. */
  readonly caption: string | null;
}

export interface LocomoSession {
  readonly number: number;
  /** As written in the file, e.g. "1:56 pm on 8 May, 2023". */
  readonly date: string;
  readonly turns: readonly LocomoTurn[];
}

export interface LocomoRow {
  /** 0-based place in the conversation's list of questions. */
  readonly index: number;
  readonly question: string;
  /** Null for all but two of the adversarial rows. */
  readonly answer: string | null;
  /** The wrong answer that an adversarial row invites to. */
  readonly adversarialAnswer: string | null;
  /** 1 to 5, the file's own numbers. */
  readonly category: number;
  /** Turn ids in plain form; one that cannot be read as a turn id stands as it was written. */
  readonly evidence: readonly string[];
}

export interface LocomoConversation {
  readonly id: string;
  readonly speakers: readonly [string, string];
  readonly sessions: readonly LocomoSession[];
  readonly rows: readonly LocomoRow[];
}

const turnSchema = z.object({
  speaker: z.string(),
  dia_id: z.string(),
  text: z.string(),
  blip_caption: z.string().optional(),
});

const answerSchema = z.union([z.string(), z.number()]).nullish();

const fileSchema = z.array(
  z.object({
    sample_id: z.string(),
    conversation: z.looseObject({ speaker_a: z.string(), speaker_b: z.string() }),
    qa: z.array(
      z.object({
        question: z.string(),
        answer: answerSchema,
        adversarial_answer: answerSchema,
        evidence: z.array(z.string()).default([]),
        category: z.int().min(1).max(5),
      }),
    ),
  }),
);

type FileConversation = z.infer<typeof fileSchema>[number];

/** Throws `input` with one line that says what is wrong with the file. */
export function readLocomo(path: string): LocomoConversation[] {
  const parsed = fileSchema.safeParse(readJson(path));
  if (!parsed.success) {
    const issue = parsed.error.issues[0]!;
    throw notLocomo(path, `at ${issue.path.join(".") || "the top"}: ${issue.message}`);
  }
  return parsed.data.map((conversation) => ({
    id: conversation.sample_id,
    speakers: [conversation.conversation.speaker_a, conversation.conversation.speaker_b],
    sessions: sessionsOf(conversation, path),
    rows: conversation.qa.map((row, index) => ({
      index,
      question: row.question.trim(),
      answer: answerText(row.answer),
      adversarialAnswer: answerText(row.adversarial_answer),
      category: row.category,
      evidence: [...new Set(row.evidence.flatMap(turnIds))],
    })),
  }));
}

/** The turn ids that one evidence string holds; the string itself when it holds none. */
export function turnIds(evidence: string): string[] {
  const ids = [...evidence.matchAll(/D:?(\d+):(\d+)/g)].map((match) => `D${Number(match[1])}:${Number(match[2])}`);
  return ids.length > 0 ? ids : [evidence];
}

function sessionsOf({ sample_id: id, conversation }: FileConversation, path: string): LocomoSession[] {
  const numbers = Object.keys(conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  const sessions = numbers.flatMap((number) => {
    const turns = z.array(turnSchema).safeParse(conversation[`session_${number}`]);
    if (!turns.success) {
      const issue = turns.error.issues[0]!;
      throw notLocomo(path, `${id} session_${number}.${issue.path.join(".")}: ${issue.message}`);
    }
    if (turns.data.length === 0) return [];
    const date = conversation[`session_${number}_date_time`];
    if (typeof date !== "string") throw notLocomo(path, `${id} session_${number} has no date`);
    return [{ number, date, turns: turns.data.map(turnOf) }];
  });
  if (sessions.length === 0) throw notLocomo(path, `${id} has no session with turns`);
  return sessions;
}

const turnOf = (turn: z.infer<typeof turnSchema>): LocomoTurn => ({
  id: turnIds(turn.dia_id)[0]!,
  speaker: turn.speaker,
  text: turn.text,
  caption: turn.blip_caption ?? null,
});

function readJson(path: string): unknown {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new UmaError("input", `cannot read the LoCoMo file: ${messageOf(cause)}`, {
      fix: "get locomo10.json from the snap-research/locomo repository and give its path as `data`",
      cause,
    });
  }
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw notLocomo(path, messageOf(cause).replace(/\s+/g, " "));
  }
}

const notLocomo = (path: string, problem: string): UmaError =>
  new UmaError("input", `${path} is not in LoCoMo's format: ${problem}`, {
    fix: "give the published locomo10.json, or a file of the same shape",
  });
