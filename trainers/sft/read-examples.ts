/** Teacher sessions from JSON lines, made token sequences for one tokenizer and template. */
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";
import { UmaError } from "../../base/errors.ts";
import type { ChatFormat } from "../../policies/token-exact/chat-format.ts";
import { sessionTrace } from "./session-trace.ts";
import type { Example } from "./supervised-batch.ts";
import { SupervisedSession } from "./supervised-session.ts";

export interface ReadExamplesOptions {
  readonly format: ChatFormat;
  /** Sessions longer than this are left out. */
  readonly maxTokens: number;
  /** Most sessions to read. */
  readonly limit?: number;
}

/** Throws `input` for a line that is no session. */
export async function readExamples(path: string, options: ReadExamplesOptions): Promise<Example[]> {
  const { format, maxTokens, limit = Number.POSITIVE_INFINITY } = options;
  const examples: Example[] = [];
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    number++;
    if (line === "") continue;
    if (examples.length >= limit) break;
    const parsed = SupervisedSession.safeParse(JSON.parse(line));
    if (!parsed.success)
      throw new UmaError("input", `${path}, line ${number}: no teacher session (${parsed.error.issues[0]?.message})`);
    const { id, stage, messages } = parsed.data;
    for (const part of sessionTrace(messages, format, id))
      if (part.ids.length <= maxTokens) examples.push({ id: `${path}:${number}`, stage, part });
  }
  return examples;
}
