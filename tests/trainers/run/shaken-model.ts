/** The embedded policy with its weights shaken a little: it knows the tools and makes mistakes, so that rewards differ. */
import { cpSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { rng } from "../../../base/rng.ts";
import { readSafetensors } from "../../../policies/embedded/safetensors.ts";
import { writeSafetensors } from "../../../trainers/sft/model/write-safetensors.ts";

const trained = resolve(import.meta.dirname, "..", "..", "..", "assets", "embedded-policy");

/** `share` of each tensor's own spread. */
export function shakenModel(folder: string, share = 0.4): string {
  cpSync(trained, folder, { recursive: true });
  const path = join(folder, "model.safetensors");
  const random = rng("shaken-model");
  const tensors = [...readSafetensors(readFileSync(path), path)].map(([name, { shape, values }]) => {
    const all = values();
    const spread = Math.sqrt(all.reduce((sum, value) => sum + value * value, 0) / all.length);
    return { name, shape, values: all.map((value) => value + share * spread * (2 * random.next() - 1)) };
  });
  writeFileSync(path, writeSafetensors(tensors, "F32"));
  return folder;
}
