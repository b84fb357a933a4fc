/** The benchmark's contexts in order, each written down before its first session and the same as when the run was begun. */
import { join } from "node:path";
import { UmaError } from "../base/errors.ts";
import { problemSentence, valueProblems } from "../base/issue-sentence.ts";
import { openJsonl } from "../base/jsonl.ts";
import type { Halt } from "../rollouts/halt.ts";
import type { Benchmark, EvalContext } from "./benchmark.ts";
import { contextLine, type RunFolder, readContexts } from "./run-folder.ts";

export interface ContextQueue {
  /** Null at the end, and when the run is stopping. */
  next(): Promise<EvalContext | null>;
  /** Whether every context has been taken. */
  ended(): boolean;
  close(): void;
}

export function takeContexts(folder: RunFolder, benchmark: Benchmark, halt: Halt): ContextQueue {
  const contexts = benchmark.load(benchmarkConfig(folder, benchmark))[Symbol.asyncIterator]();
  const known = new Map(readContexts(folder.path).map((line) => [line.id, line]));
  const log = openJsonl(join(folder.path, "contexts.jsonl"));
  const seen = new Set<string>();
  let ended = false;
  let leftOut = false;

  const dataChanged = (what: string) =>
    new UmaError("input", `${what}: the data is not what ${folder.path} was started with`, {
      fix: "start a new run with --out, or restore the data",
    });
  const accept = (context: EvalContext) => {
    const line = contextLine(context);
    if (seen.has(line.id)) throw new UmaError("input", `${benchmark.name}: two contexts are named "${line.id}"`);
    seen.add(line.id);
    for (const { id, position } of context.questions) {
      if (!Number.isInteger(position) || position < 0 || position >= context.chunks.length)
        throw new UmaError(
          "input",
          `${line.id}, question ${id}: expected a position within 0..${context.chunks.length - 1}, got ${position}`,
        );
    }
    const before = known.get(line.id);
    if (before && before.hash !== line.hash) throw dataChanged(line.id);
    if (!before) log.append(line);
  };
  return {
    async next() {
      if (ended || leftOut) return null;
      const taken = await contexts.next();
      if (taken.done) {
        const lost = [...known.keys()].find((id) => !seen.has(id));
        if (!leftOut && lost !== undefined) throw dataChanged(`${lost} is not there any more`);
        ended = true;
        return null;
      }
      // looked at also while stopping: a run whose last session has just ended is complete
      leftOut ||= halt.stopping();
      if (leftOut) return null;
      accept(taken.value);
      return taken.value;
    },
    ended: () => ended && !leftOut,
    close() {
      // a stopped run leaves the benchmark in the middle of its file
      void contexts.return?.(undefined)?.catch(() => {});
      log.close();
    },
  };
}

function benchmarkConfig({ path, config }: RunFolder, benchmark: Benchmark): unknown {
  const given = config.benchmark.config;
  const parsed = benchmark.config.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new UmaError(
    "input",
    `${join(path, "config.json")}: ${benchmark.name}: ${problemSentence(valueProblems(parsed.error, given))}`,
    { fix: `the run was made by umagraph ${config.umagraph}; use that version, or start a new run` },
  );
}
