/**
 * What to keep of a chunk: neighbouring statements together, under a title made of date, speakers and their rarest words.
 *
 * A chunk that is longer than one session can write down is thinned to its most telling sentences: those with numbers,
 * names and words that the rest of the chunk does not have.
 */
import { contentWords } from "./content-words.ts";
import type { Statement } from "./statements.ts";

export interface PlannedEntry {
  readonly title: string;
  readonly content: string;
}

/** Characters of all entries of one chunk: about 3,000 tokens, well within what a session may write. */
const MOST_CHARACTERS = 12_000;
const ENTRY_CHARACTERS = 700;

export function planEntries(statements: readonly Statement[]): PlannedEntry[] {
  const groups = grouped(thinned(statements));
  const spread = new Map<string, number>();
  const words = groups.map((group) => group.flatMap((statement) => contentWords(statement.text)));
  for (const list of words) for (const word of new Set(list)) spread.set(word, (spread.get(word) ?? 0) + 1);
  const taken = new Set<string>();
  const seen = new Set<string>();
  return groups.flatMap((group) => {
    const content = contentOf(group);
    if (seen.has(content)) return [];
    seen.add(content);
    const title = unique(titleOf(group, spread, groups.length), taken);
    return [{ title, content }];
  });
}

function thinned(statements: readonly Statement[]): Statement[] {
  const telling = statements.filter(isTelling);
  let total = telling.reduce((sum, statement) => sum + statement.text.length, 0);
  if (total <= MOST_CHARACTERS) return telling;
  const spread = new Map<string, number>();
  for (const statement of telling)
    for (const word of new Set(contentWords(statement.text))) spread.set(word, (spread.get(word) ?? 0) + 1);
  const weight = (statement: Statement) => {
    const rarity = contentWords(statement.text).reduce((sum, word) => sum + 1 / spread.get(word)!, 0);
    return (rarity + (/\d/.test(statement.text) ? 2 : 0)) / Math.sqrt(statement.text.length);
  };
  const weights = new Map(telling.map((statement) => [statement, weight(statement)]));
  const dropped = new Set<Statement>();
  for (const statement of [...telling].sort((a, b) => weights.get(a)! - weights.get(b)!)) {
    if (total <= MOST_CHARACTERS) break;
    dropped.add(statement);
    total -= statement.text.length;
  }
  return telling.filter((statement) => !dropped.has(statement));
}

/** Greetings, thanks and bare questions answer nothing later. */
function isTelling({ text }: Statement): boolean {
  const words = new Set(contentWords(text)).size;
  return /\d/.test(text) || words >= (/[?？]$/.test(text) ? 6 : 2);
}

function grouped(statements: readonly Statement[]): Statement[][] {
  const groups: Statement[][] = [];
  let length = 0;
  for (const statement of statements) {
    const group = groups.at(-1);
    if (!group || length + statement.text.length > ENTRY_CHARACTERS || group[0]!.date !== statement.date) {
      groups.push([statement]);
      length = 0;
    } else {
      group.push(statement);
    }
    length += statement.text.length;
  }
  return groups;
}

/** One line for what one speaker says in a row, headed as the reader of entries expects it. */
function contentOf(group: readonly Statement[]): string {
  const lines: string[] = [];
  let last: Statement | null = null;
  for (const statement of group) {
    if (last && last.speaker === statement.speaker) lines[lines.length - 1] += ` ${statement.text}`;
    else {
      const date = statement.date === null ? "" : `[${statement.date}] `;
      lines.push(`${date}${statement.speaker === null ? "" : `${statement.speaker}: `}${statement.text}`);
    }
    last = statement;
  }
  return lines.join("\n");
}

function titleOf(group: readonly Statement[], spread: ReadonlyMap<string, number>, groups: number): string {
  const speakers = [...new Set(group.flatMap((statement) => statement.speaker ?? []))];
  const speakerWords = new Set(speakers.flatMap(contentWords));
  const counts = new Map<string, { word: string; weight: number }>();
  for (const word of group.flatMap((statement) => statement.text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [])) {
    const [key] = contentWords(word);
    if (key === undefined || speakerWords.has(key) || /^\d+$/.test(word)) continue;
    const rarity = Math.log(1 + groups / (spread.get(key) ?? 1));
    counts.set(key, { word: counts.get(key)?.word ?? word, weight: (counts.get(key)?.weight ?? 0) + rarity });
  }
  const topics = [...counts.values()]
    .sort((a, b) => b.weight - a.weight)
    .slice(0, 5)
    .map((topic) => topic.word.slice(0, 30));
  const parts = [group[0]!.date ?? "", speakers.slice(0, 3).join(", ").slice(0, 60), topics.join(", ")];
  return parts.filter((part) => part !== "").join(" · ") || "notes";
}

function unique(title: string, taken: Set<string>): string {
  let free = title;
  for (let k = 2; taken.has(free); k++) free = `${title} (${k})`;
  taken.add(free);
  return free;
}
