/** `--set path=value`: numbers of a recipe changed at the command line, by dot path, e.g. data.0.contexts=4. */
import { closest } from "../../base/closest.ts";
import { UmaError } from "../../base/errors.ts";

export interface Setting {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** What begins another setting: a path and an equals sign. */
const BEGINS = /^\s*[\w-]+(?:\.[\w-]+)*=/;

/**
 * "adam.learningRate=1e-4,data.0.config={\"horizon\":[2,3]}" → two settings. A value is JSON, or else a text; a comma inside
 * brackets or before something that is no `path=` belongs to the value. Throws `config` for what has no path.
 */
export function readSettings(text: string): Setting[] {
  const pieces: string[] = [];
  for (const piece of topLevelPieces(text)) {
    if (pieces.length === 0 || BEGINS.test(piece)) pieces.push(piece);
    else pieces[pieces.length - 1] += `,${piece}`;
  }
  return pieces.map((piece) => {
    const [, path, value = ""] = piece.match(/^\s*([\w-]+(?:\.[\w-]+)*)=([\s\S]*)$/) ?? [];
    if (path === undefined)
      throw new UmaError("config", `--set: expected path=value, got ${JSON.stringify(piece)}`, {
        fix: "e.g. --set adam.learningRate=1e-4 --set data.0.contexts=4; umagraph train <recipe> --show prints the paths",
      });
    return { path: path.split("."), value: parsed(value.trim()) };
  });
}

/** The recipe with the settings in it, not yet checked by its schema. Throws `config` for a path that leads nowhere. */
export function withSettings(recipe: unknown, settings: readonly Setting[]): unknown {
  const copy = structuredClone(recipe);
  for (const { path, value } of settings) {
    let held = copy;
    path.slice(0, -1).forEach((key, depth) => {
      held = step(held, key, path.slice(0, depth + 1));
    });
    const last = path.at(-1)!;
    if (!isHolder(held)) throw leadsNowhere(path, held, []);
    if (Array.isArray(held) && !(last in held)) throw leadsNowhere(path, held, Object.keys(held));
    (held as Record<string, unknown>)[last] = value;
  }
  return copy;
}

/** A field that the recipe leaves out may be set below; an entry of a list has to be there. */
function step(held: unknown, key: string, path: readonly string[]): unknown {
  if (!isHolder(held)) throw leadsNowhere(path, held, []);
  if (Object.hasOwn(held, key)) return (held as Record<string, unknown>)[key];
  throw leadsNowhere(path, held, Object.keys(held));
}

function leadsNowhere(path: readonly string[], held: unknown, keys: readonly string[]): UmaError {
  const above = path.slice(0, -1).join(".");
  const meant = closest(path.at(-1)!, [...keys]);
  return new UmaError(
    "config",
    `--set ${path.join(".")}: ${above === "" ? "the recipe" : above} ${isHolder(held) ? `has no "${path.at(-1)}"` : `is ${JSON.stringify(held)}, and has nothing in it`}`,
    {
      fix:
        meant !== undefined && meant !== null
          ? `did you mean ${[above, meant].filter((part) => part !== "").join(".")}?`
          : keys.length > 0
            ? `it has: ${keys.join(", ")}`
            : "give the whole value as JSON",
    },
  );
}

const isHolder = (value: unknown): value is object => typeof value === "object" && value !== null;

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
