/** umagraph graph: any listed graph as Mermaid text, offline. */
import { z } from "zod";
import type { AnyGraph } from "../../graphs/any-graph.ts";
import { defineCommand } from "../command.ts";
import { listedGraphs, openListedGraph } from "../graph-files.ts";

export const command = defineCommand({
  name: "graph",
  summary: "print a graph as Mermaid",
  usage: "[name] [flags]",
  details: `Graphs: ${Object.keys(listedGraphs()).join(", ")}`,
  flags: z.object({ xray: z.boolean().default(false).describe("Expand subgraphs") }),
  examples: [
    { run: "umagraph graph agent --xray", what: "the whole agent with its phases and sessions" },
    { run: "umagraph graph session", what: "the inner loop" },
    { run: "umagraph graph rollout", what: "nested sampling: G trajectories, M questions of each" },
  ],
  async run({ flags, positionals, terminal }) {
    const [name = "agent"] = positionals;
    const graph = await openListedGraph(name);
    // xray is read by LangGraph, and missing from the type of the method's config
    const drawn = await graph.getGraphAsync({ xray: flags.xray } as Parameters<AnyGraph["getGraphAsync"]>[0]);
    const mermaid = drawn.drawMermaid();
    terminal.print(mermaid);
    terminal.result({ graph: name, xray: flags.xray, nodes: Object.keys(drawn.nodes), mermaid });
    return 0;
  },
});
