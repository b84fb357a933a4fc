/** A published checkpoint as the folder that is shipped: 16-bit weights, and the files that say how to read them. */
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { UmaError } from "../../base/errors.ts";
import { makeFolder } from "../../base/make-folder.ts";
import { readSafetensors } from "../../policies/embedded/safetensors.ts";
import { sessionFile, type TrainedSessions } from "../../policies/embedded/trained-sessions.ts";
import { writeSafetensors } from "./model/write-safetensors.ts";

const companions = [
  "tokenizer.json",
  "tokenizer_config.json",
  "chat_template.jinja",
  "generation_config.json",
] as const;
const weights = "model.safetensors";

export interface ExportedPolicy {
  readonly parameters: number;
  /** Of the weights' file. */
  readonly bytes: number;
}

/**
 * `from`: a Hugging Face folder with 32-bit weights. `sessions`: how those were set up that it was trained on, which session.json
 * then says. Throws `input` when it is no such folder, or a weight does not fit 16 bits.
 */
export function exportPolicy(from: string, to: string, sessions?: TrainedSessions): ExportedPolicy {
  const tensors = [...readSafetensors(readFileSync(join(from, weights)), join(from, weights))]
    // tied to the embedding, whatever wrote the folder
    .filter(([name]) => name !== "lm_head.weight")
    .map(([name, { shape, values }]) => ({ name, shape, values: values() }));
  if (tensors.length === 0) throw new UmaError("input", `${from}: expected weights, found none`);
  makeFolder(to, "choose a writable place for the policy");
  const config = JSON.parse(readFileSync(join(from, "config.json"), "utf8")) as Record<string, unknown>;
  delete config.dtype;
  writeFileSync(join(to, "config.json"), `${JSON.stringify({ ...config, torch_dtype: "float16" }, null, 2)}\n`);
  for (const name of companions) copyFileSync(join(from, name), join(to, name));
  if (sessions) writeFileSync(join(to, sessionFile), `${JSON.stringify(sessions)}\n`);
  const stored = writeSafetensors(tensors, "F16");
  writeFileSync(join(to, weights), stored);
  return { parameters: tensors.reduce((sum, { values }) => sum + values.length, 0), bytes: stored.length };
}
