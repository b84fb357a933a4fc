/**
 * Runs commands on a disk that the test chooses: inside a mount namespace of its own, which takes its mounts with it when it
 * ends. `node --import tsx odd-disk.ts <steps.json>` in a folder; a step is arguments for umagraph, or a mount command.
 */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { main } from "../../cli/main.ts";

export type Step =
  | { readonly umagraph: readonly string[] }
  | { readonly run: readonly string[] }
  | { readonly list: string };
export interface StepResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

const steps = JSON.parse(readFileSync(process.argv[2]!, "utf8")) as Step[];
const results: StepResult[] = [];
for (const step of steps) results.push(await take(step));
writeFileSync(process.argv[3]!, JSON.stringify(results));

async function take(step: Step): Promise<StepResult> {
  if ("run" in step) {
    const [command = "", ...args] = step.run;
    return { code: 0, stdout: execFileSync(command, args, { encoding: "utf8" }), stderr: "" };
  }
  if ("list" in step) {
    const files = readdirSync(step.list, { recursive: true, withFileTypes: true }).filter((file) => file.isFile());
    const tails = files.map((file) => {
      const bytes = readFileSync(`${file.parentPath}/${file.name}`);
      return [`${file.parentPath}/${file.name}`, bytes.length === 0 || bytes.at(-1) === 0x0a];
    });
    return { code: 0, stdout: JSON.stringify(tails), stderr: "" };
  }
  const said = { stdout: "", stderr: "" };
  const real = { stdout: process.stdout.write, stderr: process.stderr.write };
  for (const name of ["stdout", "stderr"] as const)
    process[name].write = ((text: string) => {
      said[name] += text;
      return true;
    }) as never;
  try {
    const code = await main(step.umagraph);
    return { code, ...said };
  } finally {
    process.stdout.write = real.stdout;
    process.stderr.write = real.stderr;
  }
}
