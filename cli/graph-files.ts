/** The graphs that langgraph.json lists, for the commands that print or serve them. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { UmaError } from "../base/errors.ts";
import type { AnyGraph } from "../graphs/any-graph.ts";

/** The package's folder: where langgraph.json lies, from the sources and from dist/ alike. */
export const packageRoot = (() => {
  const here = dirname(fileURLToPath(import.meta.url));
  return (
    [join(here, ".."), join(here, "..", "..")].find((folder) => existsSync(join(folder, "langgraph.json"))) ??
    join(here, "..")
  );
})();

/** Graph id → "./file.ts:export"; in the compiled package the file is the one in dist/. */
export function listedGraphs(): Record<string, string> {
  const { graphs } = JSON.parse(readFileSync(join(packageRoot, "langgraph.json"), "utf8")) as {
    graphs: Record<string, string>;
  };
  if (existsSync(join(packageRoot, "graphs", "studio.ts"))) return graphs;
  return Object.fromEntries(
    Object.entries(graphs).map(([id, path]) => [id, path.replace("./", "./dist/").replace(".ts:", ".js:")]),
  );
}

/** A listed graph, built as Studio builds it. Throws `config` for a name that is not listed. */
export async function openListedGraph(name: string): Promise<AnyGraph> {
  const listed = listedGraphs();
  if (!Object.hasOwn(listed, name))
    throw new UmaError("config", `there is no graph "${name}"`, { fix: `graphs: ${Object.keys(listed).join(", ")}` });
  const [file = "", exported = ""] = listed[name]!.split(":");
  const module = await import(pathToFileURL(join(packageRoot, file)).href);
  return (module as Record<string, () => Promise<AnyGraph>>)[exported]!();
}
