import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";

// .ci/run sums what this file reports
const results = process.env.UMAGRAPH_TEST_RESULTS;

export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    pool: "forks",
    // the default leaves a core free, which is half of a small machine
    maxWorkers: availableParallelism(),
    testTimeout: 60_000,
    hookTimeout: 60_000,
    reporters: results ? ["default", ["json", { outputFile: results }]] : ["default"],
  },
});
