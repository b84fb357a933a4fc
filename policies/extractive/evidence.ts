/** What a session has seen that may answer its question: entries, search results, the given context, the core. */
import { readSection } from "../prompt-sections.ts";
import type { Exchange, ScriptedTurn } from "../scripted-chat-model.ts";
import { dateLine, readStatements, type Statement } from "./statements.ts";

export interface Evidence extends Statement {
  /** As it is cited: `entry "…"`, `chunk 3`, `context`, `core`. */
  readonly sources: readonly string[];
  /** The statement before it in the same text, for questions that the one before asks. */
  readonly previous: string | null;
}

export function gatherEvidence(turn: ScriptedTurn): Evidence[] {
  const found: Evidence[] = [];
  // a piece of a chunk often lacks the line with its date; another piece of the same chunk may be just that line
  const chunkDates = new Map<number, string>();
  const add = (text: string, source: (statement: Statement) => string, chunk: number | null = null) => {
    let previous: string | null = null;
    for (const statement of readStatements(text)) {
      const placed = { ...statement, chunk: statement.chunk ?? chunk };
      if (placed.chunk !== null && placed.date !== null && !chunkDates.has(placed.chunk))
        chunkDates.set(placed.chunk, placed.date);
      found.push({ ...placed, sources: [source(placed)], previous });
      previous = statement.text;
    }
  };
  for (const exchange of turn.exchanges) {
    const entry = entryRead(exchange);
    if (entry !== null) add(entry, () => `entry ${JSON.stringify(exchange.args.title)}`);
    for (const { chunk, text } of subChunksFound(exchange)) {
      const date = text
        .split("\n")
        .map((line) => dateLine(line.trim()))
        .find((day) => day !== null);
      if (date && !chunkDates.has(chunk)) chunkDates.set(chunk, date);
      add(text, () => `chunk ${chunk}`, chunk);
    }
  }
  const context = readSection(turn.prompt, "context");
  if (context !== null) add(context, ({ chunk }) => (chunk === null ? "context" : `chunk ${chunk}`));
  add(readSection(turn.prompt, "core_memory") ?? "", () => "core");
  const dated = found.map((one) => ({
    ...one,
    date: one.date ?? (one.chunk === null ? null : (chunkDates.get(one.chunk) ?? null)),
  }));
  return merged(dated);
}

function entryRead({ name, observation }: Exchange): string | null {
  if (name !== "memory_key_retrieve" || observation === null) return null;
  return /^(?:No entry is titled|Not run|\[left out)/.test(observation) ? null : observation;
}

function subChunksFound({ name, observation }: Exchange): { chunk: number; text: string }[] {
  if (!/^memory_(?:bm25|embedding)_retrieve$/.test(name) || observation === null) return [];
  try {
    const parsed = JSON.parse(observation) as { results?: { chunk: number; text: string }[] };
    return parsed.results ?? [];
  } catch {
    return []; // not a list of results: a refusal, or "there is no raw context"
  }
}

/** The same words from two sources are one piece of evidence with both, under the date that either gives. */
function merged(found: readonly Evidence[]): Evidence[] {
  const byText = new Map<string, Evidence>();
  for (const one of found) {
    const key = one.text.toLowerCase();
    const known = byText.get(key);
    if (!known) byText.set(key, one);
    else
      byText.set(key, {
        ...known,
        speaker: known.speaker ?? one.speaker,
        date: known.date ?? one.date,
        chunk: known.chunk ?? one.chunk,
        sources: [...new Set([...known.sources, ...one.sources])],
      });
  }
  return [...byText.values()];
}
