/** The core that `extractive` keeps: what period, who speaks, what about. Four short lines, so it never outgrows its prompt. */
import { contentWords } from "./content-words.ts";
import type { Statement } from "./statements.ts";

interface Core {
  readonly chunks: number;
  readonly from: string;
  readonly to: string;
  readonly speakers: readonly string[];
  readonly topics: readonly string[];
  /** Lines of a core that somebody else wrote. */
  readonly other: readonly string[];
}

const MOST_SPEAKERS = 12;
const MOST_TOPICS = 40;
const TOPICS_PER_CHUNK = 4;

export function nextCore(before: string, statements: readonly Statement[]): string {
  const core = readCore(before);
  const dates = [core.from, core.to, ...statements.map((statement) => statement.date ?? "")]
    .filter((date) => date !== "")
    .sort();
  const speakers = new Set([
    ...core.speakers,
    ...statements.flatMap((statement) => statement.speaker?.slice(0, 40) ?? []),
  ]);
  const topics = new Set([...core.topics, ...distinctive(statements, core)]);
  return [
    ...core.other,
    `Read so far: ${core.chunks + 1} ${core.chunks === 0 ? "chunk" : "chunks"}.`,
    dates.length === 0 ? "" : `Dates: ${dates[0]} to ${dates.at(-1)}.`,
    speakers.size === 0 ? "" : `Speakers: ${[...speakers].slice(0, MOST_SPEAKERS).join(", ")}.`,
    topics.size === 0 ? "" : `Topics: ${[...topics].slice(-MOST_TOPICS).join(", ")}.`,
  ]
    .filter((line) => line !== "")
    .join("\n");
}

function readCore(text: string): Core {
  const field = (name: string) => new RegExp(`^${name}: (.*)\\.$`, "m").exec(text)?.[1] ?? "";
  const list = (name: string) =>
    field(name)
      .split(", ")
      .filter((item) => item !== "");
  const [from = "", to = ""] = field("Dates").split(" to ");
  const other = text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^(?:Read so far|Dates|Speakers|Topics): /.test(line));
  return {
    chunks: Number.parseInt(field("Read so far"), 10) || 0,
    from,
    to,
    speakers: list("Speakers"),
    topics: list("Topics"),
    other,
  };
}

/** The chunk's most repeated words that the core does not name yet. */
function distinctive(statements: readonly Statement[], core: Core): string[] {
  const known = new Set(
    [...core.topics, ...core.speakers, ...statements.map((s) => s.speaker ?? "")].flatMap(contentWords),
  );
  const counts = new Map<string, { word: string; count: number }>();
  for (const statement of statements) {
    for (const word of statement.text.toLowerCase().match(/\p{L}{4,30}/gu) ?? []) {
      const [key] = contentWords(word);
      if (key === undefined || known.has(key)) continue;
      counts.set(key, { word: counts.get(key)?.word ?? word, count: (counts.get(key)?.count ?? 0) + 1 });
    }
  }
  return [...counts.values()]
    .sort((a, b) => b.count * b.word.length - a.count * a.word.length)
    .slice(0, TOPICS_PER_CHUNK)
    .map(({ word }) => word);
}
