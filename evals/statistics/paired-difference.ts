/**
 * How much better one system is than another on the questions that both answered: the mean difference per question, its
 * 95 % interval, and a p-value, both clustered by context.
 *
 * The p-value is that of a sign-flip test: were the systems alike, each context's difference could as well have had the
 * other sign. With up to twelve contexts every assignment of signs is tried, with more a seeded sample of them.
 */
import { rng } from "../../base/rng.ts";
import {
  type BootstrapOptions,
  type ClusterTotal,
  clusterBootstrap,
  clusterTotals,
  type MeanInterval,
  meanOf,
} from "./cluster-bootstrap.ts";

export interface QuestionScore {
  /** The context's id. */
  readonly cluster: string;
  /** Unique within the context. */
  readonly question: string;
  readonly value: number;
}

export interface PairedDifference extends MeanInterval {
  readonly wins: number;
  readonly losses: number;
  readonly ties: number;
  /** Two-sided; null with fewer than two contexts. */
  readonly p: number | null;
  /** Questions that only one of the two has a score for; they are left out. */
  readonly unpaired: number;
}

const exhaustiveLimit = 12;
const sampledFlips = 10_000;

/** Positive means that `first` scores higher. Throws when a system has two scores for one question. */
export function pairedDifference(
  first: readonly QuestionScore[],
  second: readonly QuestionScore[],
  options: BootstrapOptions,
): PairedDifference {
  const left = byQuestion(first);
  const right = byQuestion(second);
  const differences = [...left].flatMap(([key, { cluster, value }]) => {
    const other = right.get(key);
    return other ? [{ cluster, value: value - other.value }] : [];
  });
  const count = (sign: number) => differences.filter(({ value }) => Math.sign(value) === sign).length;
  return {
    ...clusterBootstrap(differences, options),
    wins: count(1),
    losses: count(-1),
    ties: count(0),
    p: signFlipTest(clusterTotals(differences), options.seed),
    unpaired: left.size + right.size - 2 * differences.length,
  };
}

function byQuestion(scores: readonly QuestionScore[]): Map<string, QuestionScore> {
  const found = new Map<string, QuestionScore>();
  for (const score of scores) {
    const key = JSON.stringify([score.cluster, score.question]);
    if (found.has(key))
      throw new RangeError(`expected one score per question, got two for ${score.question} of ${score.cluster}`);
    found.set(key, score);
  }
  return found;
}

function signFlipTest(totals: readonly ClusterTotal[], seed: number | string): number | null {
  if (totals.length < 2) return null;
  // a flipped sum may differ from the observed one in its last bits although it is the same number
  const observed = Math.abs(meanOf(totals)) * (1 - 1e-9);
  const atLeast = (isFlipped: (cluster: number) => boolean) =>
    Math.abs(meanOf(totals.map(({ sum, n }, i) => ({ sum: isFlipped(i) ? -sum : sum, n })))) >= observed ? 1 : 0;

  let extreme = 0;
  if (totals.length <= exhaustiveLimit) {
    const assignments = 2 ** totals.length;
    for (let signs = 0; signs < assignments; signs++) extreme += atLeast((i) => ((signs >> i) & 1) === 1);
    return extreme / assignments;
  }
  const random = rng(seed, "sign-flip");
  for (let draw = 0; draw < sampledFlips; draw++) extreme += atLeast(() => random.next() < 0.5);
  // the observed assignment is one of the possible ones
  return (extreme + 1) / (sampledFlips + 1);
}
