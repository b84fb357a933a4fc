/** HTML to readable text, crudely and in one pass: block ends become line ends, tags go, common entities are decoded. */

const blocks = new Set(
  "address article blockquote br div dl dt dd h1 h2 h3 h4 h5 h6 hr li ol p pre section table tr ul".split(" "),
);
/** Elements whose content is not for reading. */
const hidden = new Set(["script", "style", "head", "title"]);

export function htmlText(html: string): string {
  const lower = html.toLowerCase();
  // an element that is never closed is looked for once
  const unclosed = new Set<string>();
  let out = "";
  let at = 0;
  while (at < html.length) {
    const open = html.indexOf("<", at);
    if (open === -1) break;
    out += html.slice(at, open);
    if (html.startsWith("<!--", open)) {
      const close = html.indexOf("-->", open + 4);
      at = close === -1 ? html.length : close + 3;
      continue;
    }
    const name = /^<\/?([a-z][a-z0-9]{0,20})/.exec(lower.slice(open, open + 24))?.[1];
    if (name === undefined && lower[open + 1] !== "!") {
      out += "<";
      at = open + 1;
      continue;
    }
    const close = html.indexOf(">", open);
    if (close === -1) {
      out += html.slice(open);
      at = html.length;
      break;
    }
    if (name !== undefined && blocks.has(name)) out += "\n";
    at = close + 1;
    if (name !== undefined && hidden.has(name) && lower[open + 1] !== "/" && !unclosed.has(name)) {
      const end = lower.indexOf(`</${name}`, at);
      if (end === -1) unclosed.add(name);
      else at = end;
    }
  }
  return tidy(decodeEntities(out + html.slice(at)));
}

const named: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
  ndash: "–",
  mdash: "—",
  hellip: "…",
  lsquo: "‘",
  rsquo: "’",
  ldquo: "“",
  rdquo: "”",
  euro: "€",
  copy: "©",
  auml: "ä",
  ouml: "ö",
  uuml: "ü",
  szlig: "ß",
  eacute: "é",
  egrave: "è",
  agrave: "à",
  ccedil: "ç",
  ntilde: "ñ",
};

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([a-zA-Z]{2,8}));/g, (whole, dec, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? named[name]! : whole;
    const code = dec !== undefined ? Number(dec) : Number.parseInt(hex, 16);
    const isChar = code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code <= 0xdfff);
    return isChar ? String.fromCodePoint(code) : "\ufffd";
  });
}

/** Blanks collapse inside lines, at most one empty line stays between paragraphs. */
function tidy(text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/[ \t\u00a0]+/g, " ").trim());
  const kept = lines.filter((line, index) => line !== "" || (lines[index - 1] ?? "") !== "");
  return kept.join("\n").trim();
}
