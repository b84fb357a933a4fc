/** The real command, in a process of its own or in this one, in a folder of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, vi } from "vitest";
import { main } from "../../cli/main.ts";

export const root = resolve(import.meta.dirname, "../..");
const entry = join(root, "cli", "umagraph.mjs");

export interface Ran {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string | Uint8Array;
}

/** No setting of the machine that runs the tests may change what they see. */
export function cleanEnv(more: Readonly<Record<string, string>> = {}): Record<string, string> {
  const kept = Object.entries(process.env).filter(
    ([name, value]) =>
      value !== undefined && !/^(UMAGRAPH_|OPENAI_|LANGCHAIN_|LANGSMITH_|VITEST|NODE_OPTIONS)/.test(name),
  ) as [string, string][];
  return { ...Object.fromEntries(kept), ...more };
}

/** Starts the command; `done` settles when it has ended. */
export function startCli(
  args: readonly string[],
  { cwd, env, stdin }: RunOptions,
): { child: ChildProcess; done: Promise<Ran> } {
  const child = spawn(process.execPath, [entry, ...args], { cwd, env: cleanEnv(env), stdio: ["pipe", "pipe", "pipe"] });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  child.stdout.on("data", (piece: Buffer) => out.push(piece));
  child.stderr.on("data", (piece: Buffer) => err.push(piece));
  child.stdin.end(stdin ?? "");
  const done = new Promise<Ran>((settle, reject) => {
    child.on("error", reject);
    child.on("close", (code) =>
      settle({ code, stdout: Buffer.concat(out).toString("utf8"), stderr: Buffer.concat(err).toString("utf8") }),
    );
  });
  return { child, done };
}

export const runCli = (args: readonly string[], options: RunOptions): Promise<Ran> => startCli(args, options).done;

/** The same without the second that a process takes to start. One at a time: it changes this process's folder. */
export async function runHere(args: readonly string[], { cwd, env = {} }: Omit<RunOptions, "stdin">): Promise<Ran> {
  const before = process.cwd();
  const environment = { ...process.env };
  let stdout = "";
  let stderr = "";
  const out = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    stdout += text;
    return true;
  });
  const err = vi.spyOn(process.stderr, "write").mockImplementation((text) => {
    stderr += text;
    return true;
  });
  process.chdir(cwd);
  process.env = cleanEnv(env);
  try {
    const code = await main(args);
    return { code, stdout, stderr };
  } finally {
    process.env = environment;
    process.chdir(before);
    out.mockRestore();
    err.mockRestore();
  }
}

/** A folder that goes when the tests of the file are done. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "umagraph-cli-"));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Throws unless stdout is one JSON document and nothing else. */
export function json<T = Record<string, unknown>>({ stdout }: Ran): T {
  return JSON.parse(stdout) as T;
}
