/**
 * A recipe as it is written: one of the package by name, or a file (YAML or JSON).
 *
 * A file holds the fields of a recipe. With `extends: <recipe>` it only says what is different; `scales: { demo: {…} }` says
 * what changes with the scale. Recipe files that it names lie beside it; data and models are found from where the command is run.
 */
import { basename, dirname, resolve } from "node:path";
import { closest } from "../../base/closest.ts";
import { UmaError } from "../../base/errors.ts";
import { readYaml } from "../../base/read-yaml.ts";
import { type Fields, mergeFields } from "./merge-fields.ts";
import { type Scale, scales } from "./recipe.ts";
import { recipeNames, recipes } from "./recipes.ts";

export interface WrittenRecipe {
  readonly kind: unknown;
  /** Without the kind; merged with the scale's. */
  readonly fields: Fields;
  /** What it is called in messages. */
  readonly title: string;
}

export const isRecipeFile = (nameOrPath: string): boolean => /\.(?:ya?ml|json)$/i.test(nameOrPath);

/** Throws `config` for an unknown name or scale, `input` for a file that cannot be read. */
export function writtenRecipe(nameOrPath: string, scale: Scale | undefined): WrittenRecipe {
  return isRecipeFile(nameOrPath) ? fromFile(nameOrPath, scale, []) : named(nameOrPath, scale);
}

function named(name: string, scale: Scale | undefined): WrittenRecipe {
  const file = Object.hasOwn(recipes, name) ? recipes[name] : undefined;
  if (!file) {
    const meant = closest(name, recipeNames());
    throw new UmaError("config", `there is no recipe named "${name}"`, {
      fix: `${meant ? `did you mean ${meant}? ` : ""}recipes: ${recipeNames().join(", ")}; or give a file (.yaml, .json)`,
    });
  }
  const chosen = scale ?? file.usual;
  const changes = file.scales[chosen];
  if (!changes) throw noScale(name, chosen, Object.keys(file.scales));
  return { kind: file.kind, fields: mergeFields({ ...file.fields, name }, changes), title: `${name} (${chosen})` };
}

function fromFile(path: string, scale: Scale | undefined, above: readonly string[]): WrittenRecipe {
  const value = readFile(path);
  const { kind, extends: base, scales: own = {}, ...fields } = value;
  if (!isFields(own)) throw new UmaError("config", `${path}: scales: expected an object, got ${JSON.stringify(own)}`);
  const unknown = Object.keys(own).find((key) => !(scales as readonly string[]).includes(key));
  if (unknown !== undefined)
    throw new UmaError("config", `${path}: scales: there is no scale "${unknown}"`, {
      fix: `scales: ${scales.join(", ")}`,
    });
  const parent = base === undefined ? null : parentOf(path, base, scale, above);
  const changes = scale === undefined ? {} : own[scale];
  // a scale that only the parent has is the parent's
  if (changes === undefined && parent === null) throw noScale(path, scale!, Object.keys(own));
  if (changes !== undefined && !isFields(changes))
    throw new UmaError("config", `${path}: scales.${scale}: expected an object, got ${JSON.stringify(changes)}`);
  const named = { name: nameOf(path), summary: `from ${basename(path)}` };
  return {
    kind: kind ?? parent?.kind,
    fields: beside(path, mergeFields(mergeFields({ ...parent?.fields, ...named }, fields), changes ?? {})),
    title: path,
  };
}

function parentOf(path: string, base: unknown, scale: Scale | undefined, above: readonly string[]): WrittenRecipe {
  if (typeof base !== "string")
    throw new UmaError("config", `${path}: extends: expected a recipe's name or file, got ${JSON.stringify(base)}`);
  if (!isRecipeFile(base)) return named(base, scale);
  const file = resolve(dirname(path), base);
  if ([...above, path].some((other) => resolve(other) === file))
    throw new UmaError("config", `${path}: extends ${base}, which extends it in turn`, {
      fix: "extend another recipe",
    });
  return fromFile(file, scale, [...above, path]);
}

/** "My recipe.yaml" → "my-recipe" */
const nameOf = (path: string) =>
  basename(path)
    .replace(/\.\w+$/, "")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-|-$/g, "") || "recipe";

/** An ablation may be based on a file too. */
const beside = (path: string, fields: Fields): Fields =>
  typeof fields.base === "string" && isRecipeFile(fields.base)
    ? { ...fields, base: resolve(dirname(path), fields.base) }
    : fields;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

function readFile(path: string): Fields {
  const value = readYaml(path, `give a recipe in YAML or JSON, or one of ${recipeNames().join(", ")}`);
  if (isFields(value)) return value;
  throw new UmaError("config", `${path}: expected the fields of a recipe, got ${JSON.stringify(value) ?? "nothing"}`);
}

const noScale = (name: string, scale: Scale, known: readonly string[]) =>
  new UmaError("config", `${name} has no scale ${scale}`, {
    fix: known.length === 0 ? "it has no scales: leave --scale out" : `its scales: ${known.join(", ")}`,
  });
