/**
 * Whole training runs against our own service. The first one is never disturbed; every other one is, in some way, and has to
 * end in the same files, to the byte.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createPolicy } from "../../../policies/index.ts";
import type { TrainingEvent } from "../../../trainers/run/deps.ts";
import type { MetricsLine } from "../../../trainers/run/metrics-line.ts";
import { runTraining, type TrainingEnd } from "../../../trainers/run/run-training.ts";
import { trainingFiles } from "../../../trainers/run/training-folder.ts";
import { servicePython, whyNoService } from "../../support/learner-service.ts";
import { mistakenModel } from "./mistaken-model.ts";
import { type BreakingProxy, breakingProxy, type RealLearner, realLearner } from "./real-learner.ts";
import { tinyRecipe } from "./tiny-recipe.ts";

it.skipIf(servicePython !== null)(`is not tried here: ${whyNoService}`, (context) => context.skip());

describe.skipIf(servicePython === null)(
  "a training run",
  () => {
    let place: string;
    let learner: RealLearner;
    let proxy: BreakingProxy;
    let undisturbed: Files;
    let count = 0;
    beforeEach(() => proxy.breaks(() => null));
    beforeAll(async () => {
      place = mkdtempSync(join(tmpdir(), "umagraph-training-"));
      mistakenModel(join(place, "policy"));
      learner = await realLearner(join(place, "policy"), place);
      proxy = await breakingProxy(learner.url);
      return async () => {
        await proxy.close();
        await learner.die();
        rmSync(place, { recursive: true, force: true });
      };
    }, 300_000);

    interface Run {
      readonly folder?: string;
      readonly resume?: boolean;
      readonly recipe?: Record<string, unknown>;
      readonly seed?: number;
      readonly tell?: (event: TrainingEvent) => void;
      readonly stopping?: () => boolean;
      readonly checkpoints?: string | null;
    }
    const newFolder = () => join(place, `run-${++count}`);
    const run = ({ recipe, checkpoints, ...given }: Run): Promise<TrainingEnd> =>
      runTraining({
        ...{ folder: newFolder(), seed: 1, umagraph: "0.0.0" },
        recipe: tinyRecipe(join(place, "policy"), { saveEvery: 2, ...recipe }),
        learner: {
          ...{ baseURL: proxy.url, checkpoints: checkpoints === undefined ? learner.checkpoints : checkpoints },
          limits: { retryFirstMs: 10, retryMaxMs: 100, retryForMs: 3_000, unreachableForMs: 3_000, pollMs: 2_000 },
          patienceMs: 200_000,
        },
        ...given,
      });
    /** As a killed process: whatever has been written stays, and nothing else. */
    const crash = (folder: string, at: (event: TrainingEvent) => boolean, more: Run = {}) =>
      expect(
        run({
          folder,
          ...more,
          tell(event) {
            more.tell?.(event);
            if (at(event)) throw new Error("killed");
          },
        }),
      ).rejects.toThrow("killed");
    const step = (name: string, update: number) => (event: TrainingEvent) =>
      event.kind === "step" && event.step === name && event.update === update;

    it("trains, publishes, evaluates, and keeps the best as a folder that a policy is made of", async () => {
      const folder = newFolder();
      const events: TrainingEvent[] = [];
      const { complete, state } = await run({ folder, tell: (event) => events.push(event) });
      expect(complete).toBe(true);
      expect(state).toMatchObject({ update: 3, next: null, saved: { update: 3 }, weights: { update: 3 } });
      undisturbed = filesOf(folder);
      const lines = metricsOf(folder);
      expect(lines.map(({ update, weights, staleness }) => ({ update, weights, staleness }))).toEqual([
        { update: 1, weights: "update-0000", staleness: 0 },
        { update: 2, weights: "update-0001", staleness: 0 },
        { update: 3, weights: "update-0002", staleness: 0 },
      ]);
      // the in-process sampler computes what the learner does, also after steps
      const stepped = lines.filter(({ steps }) => steps.length > 0);
      expect(stepped.length).toBeGreaterThanOrEqual(2);
      for (const { samplerMismatch } of stepped) expect(samplerMismatch).toBeLessThan(1e-4);
      for (const { steps } of stepped)
        expect(steps[0]).toMatchObject({ gradNorm: expect.any(Number), learningRate: 2e-4 });
      expect(undisturbed.evaluations.trim().split("\n")).toHaveLength(2);
      expect(undisturbed.metrics + undisturbed.evaluations).not.toContain(place);
      const speeds = events.flatMap((event) => (event.kind === "timing" ? [event.line.tokensPerSecond] : []));
      expect(speeds).toEqual([null, expect.any(Number), expect.any(Number), expect.any(Number)]);
      const best = await createPolicy({ policy: "embedded", model: trainingFiles.best(folder) });
      expect(best.weights).toBe(state.best!.weights.version);
      await expect(run({ folder })).rejects.toThrow(/already holds a training run/);
    });

    it("killed between steps, in the middle of sampling, and after a line was written, and resumed, is the same run", async () => {
      const folder = newFolder();
      let sessions = 0;
      await crash(folder, (event) => event.kind === "sessions" && event.what === "collect" && ++sessions === 7);
      await crash(folder, (event) => event.kind === "metrics" && event.line.update === 1, { resume: true });
      // nothing is saved before the second update, so the first is done again
      await crash(folder, step("update", 2), { resume: true });
      const speeds: [number, number | null][] = [];
      await crash(folder, step("evaluate", 3), {
        resume: true,
        tell(event) {
          if (event.kind === "timing") speeds.push([event.line.update, event.line.tokensPerSecond]);
        },
      });
      // done again from what had been sampled, which says nothing of speed
      expect(speeds).toEqual([
        [0, null],
        [1, null],
        [2, null],
      ]);
      const notices: string[] = [];
      const tell = (event: TrainingEvent) => void (event.kind === "notice" && notices.push(event.sentence));
      const { complete } = await run({ folder, resume: true, tell });
      expect(complete).toBe(true);
      expect(filesOf(folder)).toEqual(undisturbed);
      // the third was saved, since it is the last
      expect(notices).toEqual([]);
      expect(weightsOf(folder)).toBe(weightsOf(join(place, "run-1")));
    });

    it("tells the speed of an update only where it sampled all of it", async () => {
      const folder = newFolder();
      let sessions = 0;
      await crash(folder, (event) => event.kind === "sessions" && event.what === "collect" && ++sessions === 7);
      const speeds: (number | null)[] = [];
      const tell = (event: TrainingEvent) => void (event.kind === "timing" && speeds.push(event.line.tokensPerSecond));
      await run({ folder, resume: true, recipe: { updates: 2 }, tell });
      expect(speeds).toEqual([null, expect.any(Number)]);
    });

    it("that is asked to stop ends in order and goes on, also with more updates than before", async () => {
      const folder = newFolder();
      let stop = false;
      const { complete, state } = await run({
        ...{ folder, recipe: { updates: 2 }, stopping: () => stop },
        tell(event) {
          stop ||= step("update", 2)(event);
        },
      });
      expect([complete, state.update, state.next]).toEqual([false, 2, "publish"]);
      expect(await run({ folder, resume: true })).toMatchObject({ complete: true, state: { update: 3 } });
      expect(filesOf(folder)).toEqual(undisturbed);
    });

    it("of async 1 samples each update by weights that are one older, and is the same when it is killed", async () => {
      const recipe = { async: 1 };
      const folder = newFolder();
      expect(await run({ folder, recipe })).toMatchObject({ complete: true });
      expect(metricsOf(folder).map(({ weights, staleness }) => [weights, staleness])).toEqual([
        ["update-0000", 0],
        ["update-0000", 1],
        ["update-0001", 1],
      ]);
      const other = newFolder();
      let ahead = 0;
      await crash(other, (event) => event.kind === "sessions" && event.what === "prefetch" && ++ahead === 3, {
        recipe,
      });
      await crash(other, step("publish", 2), { recipe, resume: true });
      await run({ folder: other, recipe, resume: true });
      expect(filesOf(other)).toEqual(filesOf(folder));
      // the third update was not sampled ahead here: its weights are one older all the same
      const saving = { async: 1, saveEvery: 1 };
      const late = newFolder();
      await crash(late, step("reward", 2), { recipe: saving });
      await run({ folder: late, recipe: saving, resume: true });
      expect(filesOf(late)).toEqual(filesOf(folder));
    });

    it("waits for a learner that dies in the middle of an update, says so, and does the update again", async () => {
      const folder = newFolder();
      const notices: string[] = [];
      let back: Promise<void> | null = null;
      proxy.breaks(async (route, nth) => {
        if (route !== "optim_step" || nth !== 3) return null;
        await learner.die();
        back ??= learner.start();
        return null;
      });
      const tell = (event: TrainingEvent) => void (event.kind === "notice" && notices.push(event.sentence));
      expect(await run({ folder, tell })).toMatchObject({ complete: true });
      expect(back).not.toBeNull();
      expect(filesOf(folder)).toEqual(undisturbed);
      expect(notices.join("\n")).toMatch(
        /does not serve its model any more[\s\S]*Trying again in 1 s, from the last saved state/,
      );
    });

    it("is not changed by a learner that answers 500, 429 and 410", async () => {
      const folder = newFolder();
      const broken: string[] = [];
      const statuses = new Map([
        ["forward_backward 1", 500],
        ["optim_step 2", 429],
        ["forward 2", 500],
        ["retrieve_future 9", 410],
        ["save_weights 1", 429],
      ]);
      proxy.breaks((route, nth) => {
        const status = statuses.get(`${route} ${nth}`);
        if (status === undefined) return null;
        broken.push(`${route} ${status}`);
        return { status };
      });
      expect(await run({ folder })).toMatchObject({ complete: true });
      expect(new Set(broken.map((one) => one.split(" ").at(-1)))).toEqual(new Set(["500", "429", "410"]));
      expect(filesOf(folder)).toEqual(undisturbed);
    });

    it("says when a disk is full, the learner's or its own, and goes on when there is room", async () => {
      const folder = newFolder();
      proxy.breaks((route) =>
        route === "save_weights" ? { status: 400, body: { detail: "[Errno 28] No space left on device" } } : null,
      );
      await expect(run({ folder })).rejects.toMatchObject({
        code: "store",
        message: expect.stringMatching(/cannot save its state.*No space left/),
        fix: expect.stringMatching(/--resume/),
      });
      proxy.breaks(() => null);
      // no more room for the third update
      const inTheWay = join(folder, "updates", "0003");
      writeFileSync(inTheWay, "");
      await expect(run({ folder, resume: true })).rejects.toMatchObject({ code: "store" });
      rmSync(inTheWay);
      expect(await run({ folder, resume: true })).toMatchObject({ complete: true });
      expect(filesOf(folder)).toEqual(undisturbed);
    });

    it("halts before a step on numbers that are not finite, and can be tried again", async () => {
      const folder = newFolder();
      let steps = 0;
      proxy.breaks((route) => {
        if (route === "optim_step") steps++;
        // the second update's first gradient
        const broken = route === "forward_backward" && steps >= 2;
        return broken ? { status: 400, body: { detail: "expected a finite loss, got nan" } } : null;
      });
      const { complete, state } = await run({ folder });
      expect(complete).toBe(false);
      expect(state).toMatchObject({ next: "update", halted: { reason: "not-finite" } });
      expect(metricsOf(folder)).toHaveLength(state.update);
      expect(state.update).toBeLessThan(3);
      proxy.breaks(() => null);
      expect(await run({ folder, resume: true })).toMatchObject({ complete: true });
      expect(filesOf(folder)).toEqual(undisturbed);
    });

    it("halts on a divergence above the limit and on a sampler that is not the learner, and takes no step", async () => {
      const far = await run({ recipe: { guards: { maxKl: 1e-9 } } });
      expect(far.state).toMatchObject({ halted: { reason: "kl" } });
      expect(far.state.update).toBeLessThan(3);
      const apart = await run({ recipe: { guards: { maxSamplerMismatch: 1e-12 } } });
      expect(apart.state).toMatchObject({ next: "update", saved: null, halted: { reason: "sampler-mismatch" } });
    });

    it("publishes weights again that were damaged, and says so", async () => {
      const folder = newFolder();
      await crash(folder, step("collect", 3));
      const kept = JSON.parse(readFileSync(trainingFiles.plainState(folder), "utf8"));
      truncateSync(join(kept.weights.folder, "model.safetensors"), 5_000);
      const notices: string[] = [];
      const tell = (event: TrainingEvent) => void (event.kind === "notice" && notices.push(event.sentence));
      expect(await run({ folder, resume: true, tell })).toMatchObject({ complete: true });
      expect(notices).toEqual([expect.stringMatching(/are not what was published; they are published again/)]);
      expect(filesOf(folder)).toEqual(undisturbed);
    });

    it("refuses a folder of another recipe, another seed or no run at all, and two processes at once", async () => {
      const folder = join(place, "run-1");
      await expect(run({ folder, resume: true, seed: 2 })).rejects.toThrow(/was begun with seed 1, got 2/);
      await expect(run({ folder, resume: true, recipe: { name: "other" } })).rejects.toThrow(
        /a run of tiny, got the recipe other/,
      );
      await expect(run({ folder, resume: true, recipe: { adam: { learningRate: 1 } } })).rejects.toThrow(
        /begun with another adam/,
      );
      await expect(run({ folder: join(place, "policy"), resume: true })).rejects.toThrow(/holds no training run/);
      await expect(run({ folder: join(place, "policy") })).rejects.toThrow(/is not empty/);
      const busy = newFolder();
      const first = run({ folder: busy, recipe: { updates: 1 } });
      await expect(run({ folder: busy })).rejects.toThrow(
        /another training of .* is running|already holds a training run/,
      );
      expect(await first).toMatchObject({ complete: true });
    });

    it("refuses recipes that cannot be run, each with a sentence, before the folder is made", async () => {
      const folder = newFolder();
      const wrong = (recipe: Record<string, unknown>) => run({ folder, recipe });
      const ledger = { config: { profile: "micro", horizon: 2, split: "train" }, contexts: 1, generated: true };
      for (const [recipe, said] of [
        [{ data: [{ benchmark: "ledgerqa", ...ledger }] }, /no benchmark named "ledgerqa"/],
        [{ data: [{ benchmark: "ledger-qa", ...ledger, M: 500 }] }, /M = 500 questions per context, but/],
        [{ loraRank: 4 }, /knows no LoRA/],
        [{ credit: { estimator: "task-stratifid" } }, /no estimator "task-stratifid"/],
      ] as const)
        await expect(wrong(recipe)).rejects.toThrow(said);
      expect(() => tinyRecipe("m", { rollout: { G: 1, M: 1 } })).toThrow();
      expect(existsSync(folder)).toBe(false);
      await expect(run({ checkpoints: null, folder, recipe: { updates: 1 } })).rejects.toThrow(
        /no folder of this machine is not there|is not there/,
      );
    });
  },
  300_000,
);

interface Files {
  readonly metrics: string;
  readonly evaluations: string;
}

const filesOf = (folder: string): Files => ({
  metrics: readFileSync(trainingFiles.metrics(folder), "utf8"),
  evaluations: readFileSync(trainingFiles.evaluations(folder), "utf8"),
});

const metricsOf = (folder: string): MetricsLine[] =>
  readFileSync(trainingFiles.metrics(folder), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** Of the last published weights. */
const weightsOf = (folder: string): string =>
  JSON.parse(readFileSync(trainingFiles.plainState(folder), "utf8")).weights.version;
