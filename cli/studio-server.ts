/** The LangGraph development server in this process, over the graphs of langgraph.json. */
import { join, resolve } from "node:path";
import { UmaError } from "../base/errors.ts";

export interface StudioServer {
  readonly url: string;
  close(): Promise<void>;
}

export async function startStudio(options: {
  port: number;
  host: string;
  /** Where the graph files lie. */
  root: string;
  /** Where threads and assistants persist; by default beside the graphs, as `langgraphjs dev` does. */
  state?: string;
  graphs: Readonly<Record<string, string>>;
}): Promise<StudioServer> {
  // the server logs every request to stdout at its default level, where results belong
  process.env.LOG_LEVEL ||= "error";
  const { startServer } = await loadServer();
  try {
    const { host, cleanup } = await startServer({
      port: options.port,
      host: options.host,
      nWorkers: 10,
      cwd: options.state ?? options.root,
      graphs: Object.fromEntries(
        Object.entries(options.graphs).map(([id, path]) => {
          const [file = "", exported = ""] = path.split(":");
          return [id, `${resolve(join(options.root, file))}:${exported}`];
        }),
      ),
    });
    const at = host.replace(/^(::|0\.0\.0\.0):/, "127.0.0.1:");
    return { url: `http://${at}`, close: cleanup };
  } catch (thrown) {
    const busy = (thrown as NodeJS.ErrnoException).code === "EADDRINUSE";
    throw new UmaError(
      "config",
      busy ? `port ${options.port} is taken` : `the LangGraph server did not start: ${String(thrown)}`,
      {
        fix: busy ? "choose another with --port, or --port 0 for a free one" : "umagraph doctor",
        cause: thrown,
      },
    );
  }
}

async function loadServer() {
  try {
    return await import("@langchain/langgraph-api/server");
  } catch (cause) {
    throw new UmaError("config", "umagraph studio needs the LangGraph server, which is not installed", {
      fix: "npm install --save-dev @langchain/langgraph-api@1.5.1 @langchain/langgraph-sdk@1.15.0",
      cause,
    });
  }
}
