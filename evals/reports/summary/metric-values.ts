/** Means with intervals clustered by context, over all questions and over slices of them. */
import { clusterBootstrap } from "../../statistics/cluster-bootstrap.ts";
import { metricNames, type ScoredQuestion } from "./scored-questions.ts";

export interface MetricValue {
  /** In [0, 1]; null when nothing was scored. Questions without a value are not in it. */
  readonly mean: number | null;
  /** 95 %; null when there is none to give, and `reason` says why. */
  readonly low: number | null;
  readonly high: number | null;
  /** Questions that have a value … */
  readonly scored: number;
  /** … of so many that were asked. */
  readonly n: number;
  /** Contexts among the scored ones. */
  readonly clusters: number;
  readonly reason: string | null;
  /** Where questions were answered by several trajectories: answers that have a value, of those asked for. */
  readonly answers?: { readonly scored: number; readonly asked: number };
}

export interface Slice {
  /** The category's name or the facet's value. */
  readonly value: string | number;
  readonly n: number;
  readonly metrics: Readonly<Record<string, MetricValue>>;
}

export interface Slices {
  readonly metrics: Readonly<Record<string, MetricValue>>;
  readonly categories: readonly Slice[];
  /** Facet name → its values, e.g. horizon → 2, 10, 50. */
  readonly facets: Readonly<Record<string, readonly Slice[]>>;
}

export interface IntervalOptions {
  readonly seed: number;
  readonly resamples: number;
}

export function sliceMetrics(questions: readonly ScoredQuestion[], options: IntervalOptions): Slices {
  const names = metricNames(questions);
  const values = (slice: readonly ScoredQuestion[]) =>
    Object.fromEntries(names.map((name) => [name, metricValue(slice, name, options)]));
  const slices = (groups: ReadonlyMap<string | number, readonly ScoredQuestion[]>): Slice[] =>
    [...groups]
      .sort(([a], [b]) => compareValues(a, b))
      .map(([value, slice]) => ({ value, n: slice.length, metrics: values(slice) }));

  const facetNames = [...new Set(questions.flatMap(({ facets }) => Object.keys(facets)))].sort();
  return {
    metrics: values(questions),
    categories: slices(groupBy(questions, ({ category }) => category)),
    facets: Object.fromEntries(
      facetNames.map((name) => [
        name,
        slices(
          groupBy(
            questions.filter(({ facets }) => Object.hasOwn(facets, name)),
            ({ facets }) => facets[name]!,
          ),
        ),
      ]),
    ),
  };
}

function metricValue(
  questions: readonly ScoredQuestion[],
  name: string,
  { seed, resamples }: IntervalOptions,
): MetricValue {
  const values = questions.flatMap(({ cluster, metrics }) => {
    const value = metrics && Object.hasOwn(metrics, name) ? metrics[name] : null;
    return typeof value === "number" && Number.isFinite(value) ? [{ cluster, value }] : [];
  });
  const { n: scored, ...interval } = clusterBootstrap(values, { seed, resamples });
  const asked = questions.reduce((sum, { answers }) => sum + answers.asked, 0);
  const answered = questions.reduce((sum, { answers }) => sum + (answers.scored[name] ?? 0), 0);
  return {
    ...interval,
    scored,
    n: questions.length,
    ...(asked > questions.length && { answers: { scored: answered, asked } }),
  };
}

function groupBy<T, Key>(items: readonly T[], key: (item: T) => Key): Map<Key, T[]> {
  const groups = new Map<Key, T[]>();
  for (const item of items) {
    const group = groups.get(key(item));
    if (group) group.push(item);
    else groups.set(key(item), [item]);
  }
  return groups;
}

/** Numbers by size and before names; names by code point, which no locale changes. */
export function compareValues(a: string | number, b: string | number): number {
  if (typeof a === "number" && typeof b === "number") return a - b;
  if (typeof a !== typeof b) return typeof a === "number" ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}
