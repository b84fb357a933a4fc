/**
 * A text as statements: sentences with who said them and when, as far as the text tells.
 *
 * Understood are `[2023-05-08 13:56] Name: …`, `Name said, "…"`, `Name: …`, lines like `DATE: 1:56 pm on 8 May, 2023` or a
 * date alone, and the `[passage 1, chunk 3]` heads of search results; everything else is prose.
 */
import { writtenDate } from "../../memory/ingest/dates.ts";

export interface Statement {
  readonly text: string;
  readonly speaker: string | null;
  /** ISO day on which it was said. */
  readonly date: string | null;
  /** 1-based chunk, where the text names it. */
  readonly chunk: number | null;
}

/** Longer sentences are cut into pieces of this many characters. */
const LONGEST_SENTENCE = 400;

const STAMP = /^\[(\d{4}-\d{2}-\d{2})[^\]\n]{0,20}\]\s*/;
const PASSAGE = /^\[passage \d+, chunk (\d+)\]$/;
const DATE_LINE = /^(?:date|session date)\s*:\s*(.{1,60})$/i;
const SAID = /^([\p{L}\p{N}][\p{L}\p{N} .,'’&()_-]{0,60}?) said, ["“](.*)$/u;
const NAMED = /^(\p{L}[\p{L}\p{N}.'’_-]*(?: [\p{L}\p{N}.'’_-]+){0,2}):\s+(\S.*)$/u;
/** After a time stamp any short text before a colon is who speaks, a telephone number too. */
const NAMED_AFTER_STAMP = /^([\p{L}\p{N}+][\p{L}\p{N}\p{M} .,'’&()+_-]{0,60}):\s+(\S.*)$/u;
/** What looks like a name before a colon but heads a field. */
const FIELD = /^(?:from|to|cc|bcc|subject|date|sent|note|re|fwd|https?|conversation|summary|content|title)$/i;

export function readStatements(text: string): Statement[] {
  const statements: Statement[] = [];
  let speaker: string | null = null;
  let date: string | null = null;
  let chunk: number | null = null;
  for (const raw of text.split(/\r\n|[\n\r]/)) {
    let line = raw.trim();
    if (line === "") continue;
    const passage = PASSAGE.exec(line);
    if (passage) {
      [chunk, date, speaker] = [Number(passage[1]), null, null];
      continue;
    }
    const dated = dateLine(line);
    if (dated !== null) {
      [date, speaker] = [dated, null];
      continue;
    }
    const stamp = STAMP.exec(line);
    if (stamp) {
      [date, speaker] = [stamp[1]!, null];
      line = line.slice(stamp[0].length);
    }
    const said = SAID.exec(line);
    const named = said ? null : (stamp ? NAMED_AFTER_STAMP : NAMED).exec(line);
    if (said) {
      speaker = said[1]!;
      line = withoutClosingQuote(said[2]!);
    } else if (named && !FIELD.test(named[1]!)) {
      speaker = named[1]!;
      line = named[2]!;
    }
    for (const sentence of sentencesOf(line)) statements.push({ text: sentence, speaker, date, chunk });
  }
  return statements;
}

/** The day that a whole line states: `DATE: 1:56 pm on 8 May, 2023`, or a date alone. */
export function dateLine(line: string): string | null {
  const labelled = DATE_LINE.exec(line)?.[1];
  if (labelled === undefined && line.length > 32) return null;
  return writtenDate(labelled ?? line)?.slice(0, 10) ?? null;
}

/** `…" and shared a photo` keeps what was shared; the quotation mark goes. */
const withoutClosingQuote = (text: string) => text.replace(/["”](?=\s*$| and shared )/, "").trim();

const segmenter = new Intl.Segmenter(undefined, { granularity: "sentence" });

function sentencesOf(line: string): string[] {
  const sentences: string[] = [];
  for (const { segment } of segmenter.segment(line)) {
    let rest = segment.trim();
    while (rest.length > LONGEST_SENTENCE) {
      const cut = cutPoint(rest);
      sentences.push(rest.slice(0, cut).trim());
      rest = rest.slice(cut).trim();
    }
    if (/[\p{L}\p{N}]/u.test(rest)) sentences.push(rest);
  }
  return sentences;
}

/** At the last blank that fits, else at the limit, never inside a surrogate pair. */
function cutPoint(text: string): number {
  const blank = text.lastIndexOf(" ", LONGEST_SENTENCE);
  if (blank > LONGEST_SENTENCE / 2) return blank;
  const unit = text.charCodeAt(LONGEST_SENTENCE - 1);
  return unit >= 0xd800 && unit <= 0xdbff ? LONGEST_SENTENCE - 1 : LONGEST_SENTENCE;
}
