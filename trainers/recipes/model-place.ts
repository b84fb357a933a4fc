/** Where a recipe's model is: a folder of the package, a folder of the user's, or a name that a hub or a learner knows. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { UmaError } from "../../base/errors.ts";

const here = dirname(fileURLToPath(import.meta.url));

/** `assets/…` of a clone or of the installed package; other texts as they are. */
export function modelPlace(model: string): string {
  if (!model.startsWith("assets/")) return model;
  const places = [join(here, "..", "..", model), join(here, "..", "..", "..", model)];
  return places.find((place) => existsSync(place)) ?? places[0]!;
}

/** "Qwen/Qwen3-0.6B" is a name; "./model", "/models/x", "runs/x" and "assets/x" are folders. */
export const isFolder = (model: string): boolean =>
  /^(?:assets\/|runs\/|[./~]|[A-Za-z]:\\)/.test(model) || existsSync(model);

/** Folders that other recipes leave. */
const madeBy: Readonly<Record<string, string>> = {
  "assets/cold-start": "make it with: umagraph train cold-start --to assets/cold-start",
  "runs/sft-first/policy": "make it first: umagraph train sft-first --out runs/sft-first",
  "runs/sft-second/policy": "make it first: umagraph train sft-second --out runs/sft-second, after sft-first",
  "runs/sft-third/policy": "make it first: umagraph train sft-third --out runs/sft-third, after sft-second",
};

/** Throws `config` for a folder that is not there or holds no model. */
export function refuseMissingModel(model: string, field: string): void {
  if (!isFolder(model)) return;
  const place = modelPlace(model);
  if (existsSync(join(place, "config.json"))) return;
  const what = existsSync(place) ? "holds no config.json" : "is not there";
  throw new UmaError("config", `${field}: the model folder ${model} ${what}`, {
    fix: madeBy[model] ?? "give a model folder in Hugging Face layout",
  });
}
