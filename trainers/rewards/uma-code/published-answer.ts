/**
 * The answer that the published reward reads in a reply: the last box of its last 300 characters, in lower case.
 *
 * A box that begins before the window, is never closed, or is an \fbox is no answer (null) and gets no format bonus; an
 * empty box is one and gets it. "\boxed " with a blank goes on to a $ or the end, whatever other box stands in the window.
 */
export function publishedAnswer(reply: string, window: number | null): string | null {
  const text = lastCharacters(reply.trim(), window).toLowerCase();
  const blank = text.lastIndexOf(unbraced);
  if (blank >= 0) return text.slice(blank + unbraced.length).split("$")[0]!;
  const start = text.lastIndexOf(braced);
  if (start < 0 || start !== text.lastIndexOf(command)) return null;
  return balanced(text, start + command.length);
}

const command = "\\boxed";
const unbraced = `${command} `;
const braced = `${command}{`;

/** Code points, as Python counts. */
function lastCharacters(text: string, window: number | null): string {
  if (window === null || text.length <= window) return text;
  // a code point is 2 UTF-16 units at most
  return [...text.slice(-2 * window)].slice(-window).join("");
}

/** Escaped braces count like any other. */
function balanced(text: string, open: number): string | null {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === "{") depth++;
    else if (text[at] === "}" && --depth === 0) return text.slice(open + 1, at);
  }
  return null;
}
