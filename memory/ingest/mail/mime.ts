/** MIME structure (RFC 2045/2046) of a mail, on binary strings: one char per byte, so that every part can choose its charset. */

export interface Entity {
  /** In order, names in lower case, values unfolded and still encoded. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
}

export interface HeaderValue {
  /** Lower case, without parameters. */
  readonly value: string;
  readonly params: ReadonlyMap<string, string>;
}

const headerLine = /^([!-9;-~]{1,100}):[ \t]*(.*)$/s;

/** Headers up to the first empty line (or the first line that cannot be one), then the body. */
export function parseEntity(raw: string): Entity {
  const headers: [string, string][] = [];
  let at = 0;
  while (at < raw.length) {
    const end = raw.indexOf("\n", at);
    const next = end === -1 ? raw.length : end + 1;
    const line = raw.slice(at, next).replace(/\r?\n$/, "");
    if (line === "") return { headers, body: raw.slice(next) };
    const last = headers[headers.length - 1];
    const found = headerLine.exec(line);
    if (/^[ \t]/.test(line) && last !== undefined) last[1] += ` ${line.trim()}`;
    else if (found) headers.push([found[1]!.toLowerCase(), found[2]!.trim()]);
    else return { headers, body: raw.slice(at) };
    at = next;
  }
  return { headers, body: "" };
}

export function headerOf(entity: Entity, name: string): string | null {
  return entity.headers.find(([held]) => held === name)?.[1] ?? null;
}

/** `text/plain; charset="utf-8"` → value and parameters; RFC 2231 forms (`filename*=utf-8''a%20b`) are undone. */
export function parseHeaderValue(header: string | null): HeaderValue {
  const [first = ""] = (header ?? "").split(";", 1);
  const params = new Map<string, string>();
  const rest = (header ?? "").slice(first.length);
  for (const [, name, quoted, plain] of rest.matchAll(/;\s*([^\s=;]{1,60})=(?:"((?:[^"\\]|\\.)*)"|([^;]*))/g)) {
    const key = name!.toLowerCase().replace(/\*\d*\*?$/, "");
    const value = quoted === undefined ? plain!.trim() : quoted.replace(/\\(.)/g, "$1");
    const plainValue = name!.endsWith("*") ? percentDecoded(value.replace(/^[\w-]*'[\w-]*'/, "")) : value;
    params.set(key, `${params.get(key) ?? ""}${plainValue}`);
  }
  return { value: first.trim().toLowerCase(), params };
}

/** The parts between `--boundary` lines; preamble and epilogue are dropped, a missing last boundary is forgiven. */
export function splitParts(body: string, boundary: string): string[] {
  const parts: string[] = [];
  let from: number | null = null;
  let at = 0;
  while (at < body.length) {
    const end = body.indexOf("\n", at);
    const next = end === -1 ? body.length : end + 1;
    if (body.startsWith(`--${boundary}`, at)) {
      const tail = body.slice(at + boundary.length + 2, next).trimEnd();
      if (tail === "" || tail === "--") {
        if (from !== null) parts.push(withoutLastEnd(body.slice(from, at)));
        from = tail === "" ? next : null;
        if (tail === "--") break;
      }
    }
    at = next;
  }
  if (from !== null) parts.push(body.slice(from));
  return parts;
}

// the line end before a boundary belongs to the boundary
const withoutLastEnd = (part: string): string => part.replace(/\r?\n$/, "");

function percentDecoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}
