/**
 * `npm run bench -- retrieval`: build time and queries per second of every index, recall of the approximate one, and,
 * with the LoCoMo file, how much evidence each method finds.
 */
import { cpus } from "node:os";
import { measureQuality, type Quality } from "./retrieval-quality.ts";
import { type Approximate, measureDense, measureEmbedder, measureLexical, type Speed } from "./retrieval-speed.ts";

export interface RetrievalBenchOptions {
  /** JSON on stdout instead of tables. */
  readonly json: boolean;
  /** Path of the published locomo10.json; without it retrieval quality is not measured. */
  readonly locomo?: string;
  /** Numbers of sub-chunks. */
  readonly sizes?: readonly number[];
  /** Largest size at which wink-bm25-text-search runs too. */
  readonly winkUpTo?: number;
  /** Size at which HNSW's recall is measured, and the largest at which it is built; 0: not at all. */
  readonly hnswVectors?: number;
}

export interface RetrievalBench {
  readonly machine: string;
  readonly speeds: readonly Speed[];
  readonly approximate: Approximate | null;
  readonly quality: Quality | null;
}

export async function run(options: RetrievalBenchOptions): Promise<RetrievalBench> {
  const { json, locomo, sizes = [1_000, 10_000, 100_000], winkUpTo = 10_000, hnswVectors = 50_000 } = options;
  const progress = (line: string) => process.stderr.write(`${line}\n`);
  const quality = locomo === undefined ? null : await measureQuality(locomo, progress);
  const embedder = await measureEmbedder(progress);
  const lexical = await measureLexical(sizes, winkUpTo, progress);
  const dense = await measureDense(sizes, hnswVectors, progress);
  const result: RetrievalBench = {
    machine: `${cpus()[0]?.model ?? "unknown processor"}, ${cpus().length} cores, Node ${process.versions.node}`,
    speeds: [embedder, ...lexical, ...dense.speeds],
    approximate: dense.approximate,
    quality,
  };
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${asText(result)}\n`);
  return result;
}

function asText({ machine, speeds, approximate, quality }: RetrievalBench): string {
  const lines = [
    machine,
    "",
    ...table([
      ["index", "documents", "build s", "queries/s", "median ms", ""],
      ...speeds.map(({ index, documents, buildSeconds, queriesPerSecond, medianMs, note = "" }) => [
        index,
        documents.toLocaleString("en"),
        buildSeconds?.toFixed(2) ?? "–",
        queriesPerSecond === null ? "–" : Math.round(queriesPerSecond).toLocaleString("en"),
        medianMs?.toFixed(3) ?? "–",
        note,
      ]),
    ]),
  ];
  if (approximate !== null) {
    const { vectors, recallAt20, target } = approximate;
    lines.push(
      "",
      `hnsw against exact, ${vectors.toLocaleString("en")} vectors: recall@20 ${recallAt20.toFixed(4)} (at least ${target})`,
    );
  }
  if (quality === null) return [...lines, "", "retrieval quality: not measured (give the LoCoMo file)"].join("\n");
  const interval = ({ mean, low, high }: { mean: number; low: number; high: number }) =>
    `${mean.toFixed(1)} [${low.toFixed(1)}, ${high.toFixed(1)}]`;
  lines.push(
    "",
    `LoCoMo: ${quality.questions.toLocaleString("en")} questions, ${quality.subChunks.toLocaleString("en")} sub-chunks, ` +
      `${quality.conversations} conversations; percent, 95 % interval over conversations`,
    "",
    ...table([
      ["method", "recall@5", "recall@20", "MRR", "recall@5 − bm25", "to reach"],
      ...quality.methods.map(({ method, recallAt5, recallAt20, mrr, recallAt5OverBm25, target }) => [
        method,
        interval(recallAt5),
        interval(recallAt20),
        interval(mrr),
        recallAt5OverBm25 === null ? "" : interval(recallAt5OverBm25),
        target === null ? "" : `${target} ${recallAt5.mean >= target ? "reached" : "MISSED"}`,
      ]),
    ]),
  );
  return lines.join("\n");
}

/** Columns as wide as their widest cell; the first to the left, the others to the right. */
function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join("  ")
      .trimEnd(),
  );
}
