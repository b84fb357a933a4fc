/** umagraph doctor: what works on this machine, one line each, and what to do about what does not. */
import { accessSync, constants, existsSync } from "node:fs";
import { z } from "zod";
import { messageOf } from "../../base/errors.ts";
import { packageVersion } from "../../base/package-version.ts";
import { defineCommand } from "../command.ts";

type Check = { readonly name: string; readonly ok: boolean | null; readonly seen: string; readonly fix?: string };

export const command = defineCommand({
  name: "doctor",
  summary: "check this machine: versions, native modules, server, disk",
  usage: "[flags]",
  flags: z.object({
    baseUrl: z
      .string()
      .optional()
      .describe("Also ask this OpenAI-compatible server for its models (twin: OPENAI_BASE_URL)"),
  }),
  examples: [
    { run: "umagraph doctor", what: "check the installation" },
    { run: "umagraph doctor --base-url http://127.0.0.1:8000/v1", what: "and a model server" },
  ],
  async run({ flags, terminal }) {
    const checks: Check[] = [
      nodeVersion(),
      await nativeModule("better-sqlite3", "kept memories", async () => {
        const { default: Database } = await import("better-sqlite3");
        new Database(":memory:").close();
      }),
      await nativeModule("hnswlib-node", "large vector indexes (exact search works without it)", async () => {
        await import("hnswlib-node");
      }),
      await embedder(),
      await studioServer(),
      browser(),
      writable(),
      await server(flags.baseUrl ?? process.env.OPENAI_BASE_URL),
      key(),
    ];
    for (const check of checks) {
      const mark = check.ok === null ? "–" : check.ok ? "ok" : "!!";
      terminal.print(
        `${mark.padEnd(3)}${check.name}: ${check.seen}${check.fix && check.ok === false ? `\n   ${check.fix}` : ""}`,
      );
    }
    terminal.result({ umagraph: packageVersion(), checks });
    return checks.some((check) => check.ok === false) ? 1 : 0;
  },
});

function nodeVersion(): Check {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const ok = major > 20 || (major === 20 && minor >= 19);
  return { name: "Node", ok, seen: process.version, fix: "install Node 20.19 or newer" };
}

async function nativeModule(name: string, use: string, load: () => Promise<void>): Promise<Check> {
  try {
    await load();
    return { name, ok: true, seen: `loads; for ${use}` };
  } catch (thrown) {
    return {
      name,
      ok: false,
      seen: messageOf(thrown).split("\n")[0]!,
      fix: `npm rebuild ${name} (needs a C++ compiler and make); for ${use}`,
    };
  }
}

async function embedder(): Promise<Check> {
  try {
    const { StaticEmbeddings } = await import("../../retrieval/static-embedder.ts");
    const vector = await new StaticEmbeddings().embedQuery("a short sentence");
    return { name: "embedded embedder", ok: true, seen: `${vector.length} dimensions, in plain TypeScript` };
  } catch (thrown) {
    return {
      name: "embedded embedder",
      ok: false,
      seen: messageOf(thrown),
      fix: "assets/static-minilm is missing or damaged",
    };
  }
}

async function studioServer(): Promise<Check> {
  try {
    await import("@langchain/langgraph-api/server");
    return { name: "LangGraph server", ok: true, seen: "installed; for umagraph studio" };
  } catch {
    return {
      name: "LangGraph server",
      ok: null,
      seen: "not installed; only umagraph studio needs it: npm i -D @langchain/langgraph-api@1.5.1",
    };
  }
}

function browser(): Check {
  const found = [
    process.env.CHROMIUM_PATH,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ].find((path) => path && existsSync(path));
  return {
    name: "browser",
    ok: found ? true : null,
    seen: found ?? "none found; only the report's own tests need one",
  };
}

function writable(): Check {
  try {
    accessSync(".", constants.W_OK);
    return { name: "this folder", ok: true, seen: "writable: runs/ and .umagraph/ go here" };
  } catch {
    return {
      name: "this folder",
      ok: false,
      seen: "not writable",
      fix: "run in another folder, or give --out and --store",
    };
  }
}

async function server(baseUrl: string | undefined): Promise<Check> {
  if (!baseUrl) return { name: "model server", ok: null, seen: "not asked; give --base-url to check one" };
  const url = `${baseUrl.replace(/\/$/, "")}/models`;
  try {
    const answer = await fetch(url, {
      headers: process.env.OPENAI_API_KEY ? { authorization: `Bearer ${process.env.OPENAI_API_KEY}` } : {},
      signal: AbortSignal.timeout(10_000),
    });
    if (!answer.ok) {
      return {
        name: "model server",
        ok: false,
        seen: `${url} answers ${answer.status}`,
        fix: answer.status === 401 ? "set OPENAI_API_KEY" : "is the path right? it usually ends in /v1",
      };
    }
    const models = ((await answer.json()) as { data?: { id: string }[] }).data ?? [];
    return {
      name: "model server",
      ok: true,
      seen: `${models.length} ${models.length === 1 ? "model" : "models"}: ${models
        .slice(0, 5)
        .map((model) => model.id)
        .join(", ")}`,
    };
  } catch (thrown) {
    // a server that does one thing at a time lists its models only between two replies
    if ((thrown as { name?: unknown }).name === "TimeoutError") {
      return {
        name: "model server",
        ok: false,
        seen: `${url}: no reply within 10 s`,
        fix: "it may be busy with a long request; ask again when that is done",
      };
    }
    const { cause } = thrown as { cause?: { code?: string } };
    return {
      name: "model server",
      ok: false,
      seen: `${url}: ${cause?.code ?? messageOf(thrown)}`,
      fix: "is it running, and is the address right?",
    };
  }
}

function key(): Check {
  const set = Boolean(process.env.OPENAI_API_KEY);
  return { name: "OPENAI_API_KEY", ok: set ? true : null, seen: set ? "set" : "not set; only hosted models need it" };
}
