/** Markdown: a session per heading (a heading with nothing under it joins the next), paragraphs as messages, verbatim. */
import { extensionOf, type ReadContext, type Reading } from "../document.ts";
import { isBlank, splitLines, splitParagraphs, withoutEnd } from "../lines.ts";

const heading = /^ {0,3}#{1,6}(?:[ \t]|$)/;
const underline = /^ {0,3}(?:=+|-{2,})[ \t]*$/;
const fence = /^ {0,3}(`{3,}|~{3,})/;
const extensions = new Set(["md", "markdown", "mdx"]);
const plainExtensions = new Set(["txt", "text"]);

export function readMarkdown(text: string, context: ReadContext): Reading | null {
  const lines = splitLines(text);
  const starts = headingLines(lines.map(withoutEnd));
  if (context.kind !== "markdown" && !extensions.has(extensionOf(context.name))) {
    // elsewhere a single "#" line is as likely a comment
    if (plainExtensions.has(extensionOf(context.name)) || starts.length < 2) return null;
  }
  const sections: string[][] = [];
  let hasBody = true;
  const startsAt = new Set(starts.map(({ line }) => line));
  const headingText = new Set(starts.flatMap(({ line, underlined }) => (underlined ? [line, line + 1] : [line])));
  for (const [index, line] of lines.entries()) {
    if (sections.length === 0 || (startsAt.has(index) && hasBody)) {
      sections.push([]);
      hasBody = false;
    }
    sections[sections.length - 1]!.push(line);
    if (!headingText.has(index) && !isBlank(line)) hasBody = true;
  }
  const sessions = sections.map((section) =>
    splitParagraphs(section).map((paragraph) => ({ text: paragraph, speaker: null, at: null })),
  );
  return { kind: "markdown", sessions, notes: [] };
}

/** Lines that begin a heading, outside code fences and front matter. */
function headingLines(lines: readonly string[]): { line: number; underlined: boolean }[] {
  const found: { line: number; underlined: boolean }[] = [];
  let open: string | null = null;
  const frontMatterEnd = lines[0] === "---" ? lines.indexOf("---", 1) : -1;
  for (let line = frontMatterEnd + 1; line < lines.length; line++) {
    const text = lines[line]!;
    const mark = fence.exec(text)?.[1];
    if (mark !== undefined) {
      if (open === null) open = mark;
      else if (mark[0] === open[0] && mark.length >= open.length) open = null;
      continue;
    }
    if (open !== null) continue;
    if (heading.test(text)) found.push({ line, underlined: false });
    else if (
      underline.test(lines[line + 1] ?? "") &&
      isProse(text) &&
      (line === frontMatterEnd + 1 || startsFresh(lines[line - 1]!))
    ) {
      found.push({ line, underlined: true });
    }
  }
  return found;
}

const startsFresh = (before: string): boolean => isBlank(before) || heading.test(before);

const isProse = (line: string): boolean => !isBlank(line) && !underline.test(line) && !/^ {0,3}[-*+>|] ?/.test(line);
