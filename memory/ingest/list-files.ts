/** The files under a folder, in an order that is the same on every machine. */
import { type Dirent, promises as fs } from "node:fs";
import { join, relative, sep } from "node:path";
import type { Refusal } from "./document.ts";

export interface FoundFile {
  readonly path: string;
  /** Relative to the folder, `/` between names. */
  readonly name: string;
}

/**
 * Depth first, names by code unit. Hidden files and node_modules are passed over. Links are followed inside the folder
 * only, and every file and folder is read once, so a link loop ends.
 */
export async function listFiles(folder: string): Promise<{ files: FoundFile[]; skipped: Refusal[] }> {
  const root = await fs.realpath(folder);
  const files: FoundFile[] = [];
  const skipped: Refusal[] = [];
  const seen = new Set<string>([root]);

  const walk = async (path: string, prefix: string): Promise<void> => {
    let entries: Dirent[];
    try {
      entries = await fs.readdir(path, { withFileTypes: true });
    } catch (error) {
      skipped.push({ name: prefix.slice(0, -1) || ".", reason: `the folder cannot be read (${errorName(error)})` });
      return;
    }
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    for (const entry of entries) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const name = `${prefix}${entry.name}`;
      const target = entry.isSymbolicLink()
        ? await resolveLink(join(path, entry.name))
        : plainEntry(join(path, entry.name), entry);
      if (typeof target === "string") skipped.push({ name, reason: target });
      else if (seen.has(target.path)) skipped.push({ name, reason: "a link to something that is read already" });
      else {
        seen.add(target.path);
        if (target.isFolder) await walk(target.path, `${name}/`);
        else files.push({ path: target.path, name });
      }
    }
  };

  const resolveLink = async (path: string): Promise<{ path: string; isFolder: boolean } | string> => {
    try {
      const real = await fs.realpath(path);
      const inside = relative(root, real);
      if (inside === ".." || inside.startsWith(`..${sep}`))
        return "a link that leads out of the folder; name its target to read it";
      return plainEntry(real, await fs.stat(real));
    } catch (error) {
      return `a link that cannot be followed (${errorName(error)})`;
    }
  };

  await walk(root, "");
  return { files, skipped };
}

function plainEntry(path: string, entry: { isFile(): boolean; isDirectory(): boolean }) {
  if (entry.isDirectory() || entry.isFile()) return { path, isFolder: entry.isDirectory() };
  return "neither a file nor a folder";
}

/** `ENOENT` and the like; the message when there is no code. */
export function errorName(error: unknown): string {
  const code = (error as NodeJS.ErrnoException | null)?.code;
  return typeof code === "string" ? code : String(error);
}
