/**
 * LoCoMo as a retrieval set: one document list per conversation (whole lines packed to 1,000 characters) and, for each
 * question, the documents that hold its evidence.
 *
 * The file is the published `locomo10.json`, given by the user and never bundled (CC BY-NC 4.0). Questions of categories
 * 1 to 4 with evidence that names an existing turn: 1,535. Adversarial questions have no answer to find.
 */
import { readFileSync } from "node:fs";
import { messageOf, UmaError } from "../base/errors.ts";
import { createSource, type Source } from "../retrieval/source.ts";

export interface RetrievalQuestion {
  readonly text: string;
  readonly category: number;
  /** Positions of the sub-chunks that hold the evidence; never empty. */
  readonly gold: ReadonlySet<number>;
}

export interface Conversation {
  readonly id: string;
  readonly text: string;
  readonly questions: readonly { text: string; category: number; evidence: readonly (readonly [number, number])[] }[];
}

interface Turn {
  readonly speaker: string;
  readonly dia_id: string;
  readonly text: string;
  readonly blip_caption?: string;
}

interface Sample {
  readonly sample_id: string;
  readonly conversation: Readonly<Record<string, string | readonly Turn[] | undefined>>;
  readonly qa: readonly { question: string; category: number; evidence: readonly string[] }[];
}

export function readLocomo(path: string): Conversation[] {
  let samples: Sample[];
  try {
    samples = JSON.parse(readFileSync(path, "utf8"));
    return samples.map(conversationOf);
  } catch (cause) {
    throw new UmaError("input", `cannot read ${path} as LoCoMo: ${messageOf(cause)}`, {
      fix: "give the published locomo10.json",
      cause,
    });
  }
}

function conversationOf(sample: Sample): Conversation {
  const sessions = Object.keys(sample.conversation)
    .flatMap((key) => /^session_(\d+)$/.exec(key)?.[1] ?? [])
    .sort((a, b) => Number(a) - Number(b));
  const places = new Map<string, readonly [number, number]>();
  let text = "";
  for (const number of sessions) {
    const date = sample.conversation[`session_${number}_date_time`];
    for (const turn of sample.conversation[`session_${number}`] as readonly Turn[]) {
      const caption = turn.blip_caption === undefined ? "" : ` [shares ${turn.blip_caption}]`;
      const said = turn.text.trim().replace(/\s*\n\s*/g, " ");
      const line = `[${date}] ${turn.speaker}: ${said}${caption}\n`;
      places.set(turn.dia_id, [text.length, text.length + line.length]);
      text += line;
    }
  }
  const questions = sample.qa
    .filter(({ category }) => category >= 1 && category <= 4)
    .map(({ question, category, evidence }) => {
      // seven lists are dirty: several ids in one string, or ids of turns that do not exist
      const ids = evidence.flatMap((entry) => entry.match(/D\d+:\d+/g) ?? []);
      return { text: question, category, evidence: ids.flatMap((id) => (places.has(id) ? [places.get(id)!] : [])) };
    })
    .filter(({ evidence }) => evidence.length > 0);
  return { id: sample.sample_id, text, questions };
}

/** The conversation as one chunk, and the questions with the sub-chunks that answer them. */
export function retrievalSet({ text, questions }: Conversation): {
  readonly source: Source;
  readonly questions: readonly RetrievalQuestion[];
} {
  const source = createSource([text]);
  return {
    source,
    questions: questions.map(({ evidence, ...question }) => ({
      ...question,
      gold: new Set(
        source.subChunks
          .filter((piece) => evidence.some(([start, end]) => piece.start < end && piece.end > start))
          .map((piece) => piece.index),
      ),
    })),
  };
}
