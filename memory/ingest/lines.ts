/** Cutting text at line ends and paragraphs without losing a character: the pieces concatenate to the input. */

/** Lines with their ends. A lone CR ends a line only in text that has no LF at all. */
export function splitLines(text: string): string[] {
  const end = text.includes("\n") ? "\n" : "\r";
  const lines: string[] = [];
  let from = 0;
  while (from < text.length) {
    const found = text.indexOf(end, from);
    const to = found === -1 ? text.length : found + 1;
    lines.push(text.slice(from, to));
    from = to;
  }
  return lines;
}

/** A line without its line end (LF, CRLF or CR). */
export function withoutEnd(line: string): string {
  if (line.endsWith("\r\n")) return line.slice(0, -2);
  return line.endsWith("\n") || line.endsWith("\r") ? line.slice(0, -1) : line;
}

export const isBlank = (line: string): boolean => line.trim() === "";

/** A paragraph longer than this is cut at its line ends, so that a table or a list does not become one message. */
const longParagraph = 2_000;

/** Paragraphs with the blank lines that follow them; long ones are cut at line ends, a long single line stays whole. */
export function splitParagraphs(lines: readonly string[]): string[] {
  const paragraphs: string[] = [];
  let held: string[] = [];
  let size = 0;
  let sawText = false;
  let sawBlank = false;
  for (const line of lines) {
    const blank = isBlank(line);
    if (held.length > 0 && !blank && (sawBlank || size + line.length > longParagraph)) {
      paragraphs.push(held.join(""));
      held = [];
      size = 0;
      sawText = false;
      sawBlank = false;
    }
    held.push(line);
    size += line.length;
    if (!blank) sawText = true;
    else if (sawText) sawBlank = true;
  }
  if (held.length > 0) paragraphs.push(held.join(""));
  return paragraphs;
}
