/** The graphs that langgraph.json lists, for the commands that print or serve them. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

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
    Object.entries(graphs).map(([id, path]) => [
      id,
      path.replace("./graphs/", "./dist/graphs/").replace(".ts:", ".js:"),
    ]),
  );
}
