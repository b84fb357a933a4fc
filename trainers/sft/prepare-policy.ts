/** The first half of making a policy: the teacher's sessions, and a model folder that knows their words and nothing else. */
import { cpSync, createReadStream, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { makeFolder } from "../../base/make-folder.ts";
import type { SupervisedRecipe } from "../recipes/sft-recipe.ts";
import { writeInitialModel } from "./model/initial-model.ts";
import { countPieces, policyTokenizer } from "./model/policy-tokenizer.ts";
import type { SupervisedSession } from "./supervised-session.ts";
import { writeSessions } from "./write-sessions.ts";

export const initialModelFolder = (folder: string) => join(folder, "initial");

export interface PrepareOptions {
  /** The folder of a policy whose weights and words are taken over, instead of random weights. */
  readonly start?: string;
  /** Told what is being done. */
  readonly say?: (line: string) => void;
  readonly signal?: AbortSignal;
}

/** What is in the folder already stays. */
export async function preparePolicy(
  folder: string,
  recipe: SupervisedRecipe,
  options: PrepareOptions = {},
): Promise<void> {
  const { start, say = () => {}, signal } = options;
  makeFolder(folder, "choose a writable place for the run");
  for (const set of [...recipe.sets, recipe.heldOut]) {
    const path = join(folder, set.file);
    if (existsSync(path)) continue;
    say(`${set.count} sessions of the teacher: ${set.file}`);
    await writeSessions(path, { ...set, ...(signal && { signal }) });
  }
  const initial = initialModelFolder(folder);
  if (existsSync(join(initial, "model.safetensors"))) return;
  if (start !== undefined) {
    // under another name until it is whole
    const beside = `${initial}.tmp`;
    rmSync(beside, { recursive: true, force: true });
    cpSync(start, beside, { recursive: true });
    rmSync(initial, { recursive: true, force: true });
    renameSync(beside, initial);
    return say(`the weights of ${start}: ${initial}`);
  }
  const { sessions, least } = recipe.vocabulary;
  const words: string[] = [];
  for (const [i, { file }] of recipe.sets.entries())
    words.push(...countPieces(await textsOf(join(folder, file), sessions), least[i]!));
  const tokenizer = policyTokenizer([...new Set(words)]);
  const parameters = writeInitialModel(initial, { shape: recipe.shape, tokenizer, seed: recipe.seed });
  say(`a model of ${parameters} parameters, randomly initialised: ${initial}`);
}

async function textsOf(path: string, sessions: number): Promise<string[]> {
  const texts: string[] = [];
  let read = 0;
  for await (const line of createInterface({ input: createReadStream(path) })) {
    if (read++ === sessions) break;
    if (line !== "") texts.push(...(JSON.parse(line) as SupervisedSession).messages.map(({ text }) => text));
  }
  return texts;
}
