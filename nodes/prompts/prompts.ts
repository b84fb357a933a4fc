/**
 * Prompt templates: one file per use, selectable by name or folder (decisions §5). The wording is ours; the parts and
 * placeholders are those of tables 3–4 of the paper: core memory, chunk, question.
 *
 * A file holds a `[system]` part and a `[user]` part. Placeholders: {memory} {chunk} {question} {context}; each is filled
 * with its tagged section, except inside words. Unknown placeholders are an error when the file is read.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { UmaError } from "../../base/errors.ts";
import { contentHash } from "../../base/hash.ts";

export const promptUses = ["maintenance", "answering", "concat", "rag"] as const;
export type PromptUse = (typeof promptUses)[number];

export interface PromptTemplate {
  readonly system: string;
  readonly user: string;
  readonly hash: string;
}

export type Prompts = Readonly<Record<PromptUse, PromptTemplate>> & { readonly name: string; readonly hash: string };

const placeholders: Record<PromptUse, readonly string[]> = {
  maintenance: ["memory", "chunk"],
  answering: ["memory", "question"],
  concat: ["context", "question"],
  rag: ["context", "question"],
};

/** Not inside words: `\boxed{answer}` is text. */
const PLACEHOLDER = /(?<!\w)\{([a-z_]+)\}/g;

/** `default`, `ledger`, or a folder with any of maintenance.md, answering.md, concat.md, rag.md; what it lacks is the default's. */
export function loadPrompts(nameOrFolder = "default"): Prompts {
  const bundled = (name: string) => fileURLToPath(new URL(`./${name}/`, import.meta.url));
  const folder =
    /^[a-z-]+$/.test(nameOrFolder) && existsSync(bundled(nameOrFolder)) ? bundled(nameOrFolder) : nameOrFolder;
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UmaError("config", `prompts: expected "default", "ledger" or a folder, got "${nameOrFolder}"`, {
      fix: `a folder holds any of ${promptUses.map((use) => `${use}.md`).join(", ")}`,
    });
  }
  const templates = Object.fromEntries(
    promptUses.map((use) => {
      const own = join(folder, `${use}.md`);
      return [use, readTemplate(use, existsSync(own) ? own : join(bundled("default"), `${use}.md`))];
    }),
  ) as Record<PromptUse, PromptTemplate>;
  const hash = contentHash(promptUses.map((use) => templates[use].hash).join());
  return { ...templates, name: nameOrFolder, hash };
}

function readTemplate(use: PromptUse, path: string): PromptTemplate {
  const text = readFileSync(path, "utf8");
  const parts = /^\s*\[system\]\n([\s\S]*?)\n\[user\]\n([\s\S]*?)\s*$/.exec(text);
  if (!parts) {
    throw new UmaError("config", `${path}: expected a [system] part and then a [user] part, each on a line of its own`);
  }
  const [, system = "", user = ""] = parts;
  const known = placeholders[use];
  const fix = `placeholders here: ${known.map((name) => `{${name}}`).join(" ")}, in the [user] part`;
  for (const [placeholder] of system.matchAll(PLACEHOLDER)) {
    throw new UmaError("config", `${path}: ${placeholder} stands in the [system] part, which is not filled in`, {
      fix,
    });
  }
  for (const [placeholder, name = ""] of user.matchAll(PLACEHOLDER)) {
    if (!known.includes(name)) throw new UmaError("config", `${path}: unknown placeholder ${placeholder}`, { fix });
  }
  for (const name of known) {
    if (![...user.matchAll(PLACEHOLDER)].some((match) => match[1] === name))
      throw new UmaError("config", `${path}: the [user] part lacks {${name}}; without it the policy would not see it`);
  }
  return { system: system.trim(), user, hash: contentHash(text) };
}

/** Fills every placeholder at once, so that text with braces in it is never read as a placeholder. */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  return template.replace(PLACEHOLDER, (whole, name: string) => values[name] ?? whole);
}
