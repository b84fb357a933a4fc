/** umagraph studio: the local LangGraph server, for Studio in a browser; --check exercises it and stops. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { UmaError } from "../../base/errors.ts";
import { defineCommand } from "../command.ts";
import { listedGraphs, packageRoot } from "../graph-files.ts";
import { serviceAt } from "../learner/service-state.ts";
import { checkStudio } from "../studio-check.ts";
import { startStudio } from "../studio-server.ts";

export const command = defineCommand({
  name: "studio",
  summary: "serve the graphs for LangGraph Studio",
  usage: "[flags]",
  details: [
    "Serves every graph of langgraph.json on this machine. Studio itself is a web page that connects to it. Newer Chrome",
    "versions ask before a web page may reach a local server: allow it. Breakpoints: choose executeTools in the session graph.",
    "The trainer graph trains at a learner that runs already: umagraph learner start, then --learner with its address.",
  ].join("\n"),
  flags: z.object({
    port: z.coerce.number().int().min(0).max(65_535).default(2_024).describe("Port; 0 takes a free one"),
    host: z.string().default("127.0.0.1").describe("Address to bind"),
    check: z
      .boolean()
      .default(false)
      .describe(
        "Start on a free port, stream agent and rollout, stop before tools, edit a call, train one update step by step, end",
      ),
    policy: z
      .string()
      .optional()
      .describe("Policy of the graphs: extractive (no model, the default), ledger-expert, openai"),
    variant: z.string().optional().describe("Method that the rollout graph samples (default uma)"),
    model: z.string().optional().describe("Model of the openai policy"),
    baseUrl: z.string().optional().describe("An OpenAI-compatible server"),
    learner: z.string().optional().describe("Address of the learner that the trainer graph trains at"),
  }),
  examples: [
    { run: "umagraph studio", what: "serve, then open the printed address" },
    { run: "umagraph studio --check", what: "see that it all works, without a browser" },
  ],
  async run({ flags, terminal }) {
    if (flags.policy) process.env.UMAGRAPH_POLICY = flags.policy;
    if (flags.variant) process.env.UMAGRAPH_VARIANT = flags.variant;
    if (flags.model) process.env.UMAGRAPH_MODEL = flags.model;
    if (flags.baseUrl) process.env.UMAGRAPH_BASE_URL = flags.baseUrl;
    if (flags.learner) {
      process.env.UMAGRAPH_LEARNER = flags.learner;
      const checkpoints = serviceAt(flags.learner)?.checkpoints;
      if (checkpoints !== undefined) process.env.UMAGRAPH_LEARNER_CHECKPOINTS ||= checkpoints;
    }
    const state = flags.check ? mkdtempSync(join(tmpdir(), "umagraph-studio-")) : undefined;
    const server = await startStudio({
      port: flags.check ? 0 : flags.port,
      host: flags.host,
      root: packageRoot,
      graphs: listedGraphs(),
      ...(state !== undefined && { state }),
    });
    let code = 0;
    try {
      if (flags.check) {
        const steps = await checkStudio(server.url, terminal.note);
        for (const step of steps) terminal.print(`${step.ok ? "ok" : "!!"}  ${step.name}: ${step.seen}`);
        terminal.result({ url: server.url, steps });
        code = steps.every((step) => step.ok) ? 0 : 1;
        return code;
      }
      terminal.print(`graphs: ${Object.keys(listedGraphs()).join(", ")}`);
      terminal.print(`server: ${server.url}`);
      terminal.print(`Studio: https://smith.langchain.com/studio?baseUrl=${server.url}`);
      terminal.note("Ctrl-C stops it");
      await new Promise<void>((resolve) => {
        process.once("SIGINT", resolve);
        process.once("SIGTERM", resolve);
      });
      return 0;
    } catch (thrown) {
      if (thrown instanceof UmaError) throw thrown;
      throw new UmaError("provider", `the LangGraph server: ${String(thrown)}`, { cause: thrown });
    } finally {
      await server.close();
      if (state !== undefined) rmSync(state, { recursive: true, force: true });
      // the server's polling workers never end by themselves
      setImmediate(() => process.exit(code));
    }
  },
});
