/**
 * Which contexts each update is sampled on, and which are held out (UMA App. I). All of it follows from recipe and seed.
 *
 * A generator makes new contexts for every update by a seed of its own. A fixed set is gone through in a seeded order, another
 * one in each epoch; what is left over at an epoch's end is left out of it, so that no update has a context twice.
 */
import { UmaError } from "../../base/errors.ts";
import { rng, seedOf } from "../../base/rng.ts";
import type { Benchmark, EvalContext } from "../../evals/benchmark.ts";
import { type KnownSource, knownSources, refuseSharedData } from "../recipes/check-data.ts";
import type { DataSource, RlRecipe } from "../recipes/recipe.ts";

export interface PlannedSource {
  /** The name of its folder within an update: the benchmark's, numbered where a recipe has several of it. */
  readonly name: string;
  readonly source: DataSource;
  /** Yields the chosen contexts and no others. */
  readonly benchmark: Benchmark;
  /** As it is written into the run folder. */
  readonly config: Record<string, unknown>;
}

export interface DataPlan {
  /** Of an update, 1-based. */
  training(update: number): Promise<readonly PlannedSource[]>;
  readonly heldOut: readonly PlannedSource[];
}

/** Throws `config` for data that there is not, or that is trained on and held out. */
export async function dataPlan(
  { data, evaluation }: Pick<RlRecipe, "data" | "evaluation">,
  seed: number,
): Promise<DataPlan> {
  const training = await knownSources("data", data);
  const heldOut = await knownSources("evaluation.data", evaluation.data);
  refuseSharedData(training, heldOut);
  const names = namesOf(training);
  const sets = training.map((known) => (known.source.generated ? null : fixedSet(known)));
  return {
    heldOut: heldOut.map((known, at) => generatedFrom(known, namesOf(heldOut)[at]!, null)),
    async training(update) {
      const planned: PlannedSource[] = [];
      for (const [at, known] of training.entries()) {
        const { every } = known.source;
        if ((update - 1) % every !== 0) continue;
        const turn = (update - 1) / every;
        const set = sets[at];
        planned.push(
          set
            ? { ...described(known, names[at]!), benchmark: yielding(known.benchmark, await set(turn, seed, at)) }
            : generatedFrom(known, names[at]!, {
                seed: seedOf(seed, "data", at, turn),
                offset: rng(seed, "horizons", at, turn).next(),
              }),
        );
      }
      return planned;
    },
  };
}

const described = ({ source, config }: KnownSource, name: string) => ({ name, source, config: { ...config } });

function namesOf(sources: readonly KnownSource[]): string[] {
  const count = new Map<string, number>();
  return sources.map(({ source: { benchmark } }) => {
    const nth = (count.get(benchmark) ?? 0) + 1;
    count.set(benchmark, nth);
    return nth === 1 ? benchmark : `${benchmark}-${nth}`;
  });
}

/** `drawn` null: by the seed of its config, as held-out contexts are. */
function generatedFrom(
  known: KnownSource,
  name: string,
  drawn: { readonly seed: number; readonly offset: number } | null,
): PlannedSource {
  const { source, benchmark } = known;
  const config: Record<string, unknown> = { ...known.config };
  if (drawn) {
    if (!("seed" in config))
      throw new UmaError("config", `${known.field}: ${source.benchmark} generates nothing, since it has no seed`, {
        fix: "leave generated out: its contexts are then gone through in a seeded order",
      });
    config.seed = drawn.seed;
  }
  if (config.contexts === null && (config.file ?? null) === null)
    // a generator of several horizons makes so many contexts of each
    config.contexts = Math.ceil(source.contexts / [config.horizon].flat().length);
  return {
    ...{ name, source, config },
    benchmark: { ...benchmark, load: (given) => spread(benchmark.load(given), known, drawn?.offset ?? 0) },
  };
}

/** As many as are wanted, evenly over what is loaded, so that every horizon has its share. */
async function* spread(
  loaded: AsyncIterable<EvalContext>,
  { field, source }: KnownSource,
  offset: number,
): AsyncGenerator<EvalContext> {
  const all = await listOf(loaded);
  const { contexts } = source;
  if (all.length < contexts) throw tooFew(field, source, all.length);
  for (let i = 0; i < contexts; i++) yield all[Math.floor(((i + offset) * all.length) / contexts)]!;
}

/** Gives the contexts of the source's `turn`-th update. Loaded once. */
function fixedSet({ field, source, benchmark, config }: KnownSource) {
  let loading: Promise<EvalContext[]> | null = null;
  return async (turn: number, seed: number, at: number): Promise<EvalContext[]> => {
    loading ??= listOf(benchmark.load({ ...config }));
    const all = await loading;
    const { contexts } = source;
    const perEpoch = Math.floor(all.length / contexts);
    if (perEpoch === 0) throw tooFew(field, source, all.length);
    const epoch = Math.floor(turn / perEpoch);
    const order = rng(seed, "data", at, "epoch", epoch).shuffle([...all.keys()]);
    const from = (turn % perEpoch) * contexts;
    return order.slice(from, from + contexts).map((index) => all[index]!);
  };
}

const tooFew = (field: string, { contexts, benchmark }: DataSource, found: number) =>
  new UmaError("config", `${field}: ${contexts} contexts are wanted, ${benchmark} has ${found}`, {
    fix: `set contexts to at most ${Math.max(1, found)}`,
  });

const yielding = (benchmark: Benchmark, contexts: readonly EvalContext[]): Benchmark => ({
  ...benchmark,
  async *load() {
    yield* contexts;
  },
});

async function listOf(contexts: AsyncIterable<EvalContext>): Promise<EvalContext[]> {
  const all: EvalContext[] = [];
  for await (const context of contexts) all.push(context);
  return all;
}
