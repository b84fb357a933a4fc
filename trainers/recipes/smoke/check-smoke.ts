/**
 * The end of gpu-smoke.sh: what a run folder shows, a line each. Exit code 1 when something is wrong.
 *
 *     node --import tsx trainers/recipes/smoke/check-smoke.ts RUN [METRICS_WHEN_KILLED]
 */
import { messageOf } from "../../../base/errors.ts";
import { readJsonl } from "../../../base/jsonl.ts";
import { readTraining } from "../../report/read-training.ts";
import type { MetricsLine } from "../../run/metrics-line.ts";
import { smokeFindings } from "./smoke-findings.ts";

try {
  const [folder = ".", killed] = process.argv.slice(2);
  const log = readTraining(folder);
  const before = killed === undefined ? [] : readJsonl<MetricsLine>(killed).values;
  const findings = smokeFindings(log, {
    killedAfter: killed === undefined ? null : before.length,
    before,
    updates: log.config.recipe.updates,
  });
  for (const { what, ok, seen } of findings) console.log(`${ok ? "ok   " : "WRONG"}  ${what} (${seen})`);
  const tokens = log.metrics.reduce((sum, line) => sum + line.tokens.sampled, 0);
  const seconds = log.timing.flatMap((line) => Object.values(line.seconds)).reduce((sum, value) => sum + value, 0);
  console.log(`${log.metrics.length} updates, ${tokens} sampled tokens, ${Math.round(seconds)} s in steps`);
  if (findings.some(({ ok }) => !ok)) process.exitCode = 1;
} catch (thrown) {
  console.error(messageOf(thrown));
  process.exitCode = 1;
}
