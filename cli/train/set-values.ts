/** `--set path=value`: numbers of a recipe changed at the command line, by dot path, e.g. data.0.contexts=4. */
import { UmaError } from "../../base/errors.ts";
import type { Fields } from "../../trainers/recipes/merge-fields.ts";

/** What begins another setting: a path and an equals sign. */
const BEGINS = /^\s*[\w-]+(?:\.[\w-]+)*=/;

/**
 * "adam.learningRate=1e-4,data.0.config={\"horizon\":[2,3]}" → values by path. A value is JSON, or else a text; a comma inside
 * brackets or before something that is no `path=` belongs to the value. Throws `config` for what has no path.
 */
export function readSettings(text: string): Fields {
  const pieces: string[] = [];
  for (const piece of topLevelPieces(text)) {
    if (pieces.length === 0 || BEGINS.test(piece)) pieces.push(piece);
    else pieces[pieces.length - 1] += `,${piece}`;
  }
  return Object.fromEntries(
    pieces.map((piece) => {
      const [, path, value = ""] = piece.match(/^\s*([\w-]+(?:\.[\w-]+)*)=([\s\S]*)$/) ?? [];
      if (path === undefined)
        throw new UmaError("config", `--set: expected path=value, got ${JSON.stringify(piece)}`, {
          fix: "e.g. --set adam.learningRate=1e-4 --set data.0.contexts=4; umagraph train <recipe> --show prints the paths",
        });
      return [path, parsed(value.trim())];
    }),
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** Split at commas outside brackets and quotes. */
function topLevelPieces(text: string): string[] {
  const pieces: string[] = [];
  let depth = 0;
  let quoted = false;
  let from = 0;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (quoted) {
      if (character === "\\") i++;
      else if (character === '"') quoted = false;
    } else if (character === '"') quoted = true;
    else if (character === "[" || character === "{") depth++;
    else if (character === "]" || character === "}") depth--;
    else if (character === "," && depth === 0) {
      pieces.push(text.slice(from, i));
      from = i + 1;
    }
  }
  return [...pieces, text.slice(from)];
}
