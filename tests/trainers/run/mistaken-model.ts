/** A copy of the RL demo's start: it knows the tools and makes mistakes, so that rewards differ. */
import { cpSync } from "node:fs";
import { resolve } from "node:path";

const coldStart = resolve(import.meta.dirname, "..", "..", "..", "assets", "cold-start");

export function mistakenModel(folder: string): string {
  cpSync(coldStart, folder, { recursive: true });
  return folder;
}
