/**
 * umagraph inside your own LangGraph graph: phase I and phase II as two nodes beside yours.
 *
 *     npm run example:subgraph
 */
import { END, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { extractAnswer } from "../evals/index.ts";
import { asNode, createAnsweringGraph, createMaintenanceGraph, createPolicy, graphDeps } from "../index.ts";

const deps = graphDeps({ policy: await createPolicy({ policy: "extractive" }) });

const State = new StateSchema({
  chunks: z.array(z.string()).default(() => []),
  question: z.string().default(""),
  core: z.string().default(""),
  memoryRef: z.string().default(""),
  sourceRef: z.string().default(""),
  answer: z.string().nullable().default(null),
  report: z.string().default(""),
});

// your graph: the two phases are nodes with your state's keys; everything else is yours
const app = new StateGraph(State)
  .addNode("memorize", ...asNode(createMaintenanceGraph(deps)))
  .addNode("answerFromMemory", ...asNode(createAnsweringGraph(deps)))
  .addNode("writeReport", (state) => ({ report: `Q: ${state.question}\nA: ${extractAnswer(state.answer ?? "none")}` }))
  .addEdge(START, "memorize")
  .addEdge("memorize", "answerFromMemory")
  .addEdge("answerFromMemory", "writeReport")
  .addEdge("writeReport", END)
  .compile();

const { report } = await app.invoke({
  chunks: [
    "[2024-05-02 09:14] Mara: I start at the observatory on Monday, finally.\n[2024-05-02 09:15] Jon: Congratulations!\n",
    "[2024-05-20 21:40] Mara: First clear night. We saw Saturn and I forgot my gloves.\n",
  ],
  question: "When did Mara see Saturn?",
});
console.log("no model: the policy is extractive, a script\n");
console.log(report);
