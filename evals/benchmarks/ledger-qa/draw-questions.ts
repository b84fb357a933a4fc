/**
 * Draws the questions of one context (UMA App. C.2, stage 3): up to five per type and one total, then duplicates out.
 *
 * Range ends are dates that have transactions. Three of five draws insist that the range matters (the answer over all
 * dates differs), so a reader that drops the dates loses; the rest are free and may come out as "0.00". Questions whose
 * gold is a list of more than `maxTies` items are not drawn.
 */
import type { Rng } from "../../../base/rng.ts";
import { answerQuery, type CountedLedger, type Query, type QuestionType } from "./questions.ts";
import { type Subscene, sceneOf, scenes } from "./taxonomy.ts";

export interface DrawOptions {
  readonly perType: number;
  readonly maxTies: number;
  /** Also draws the paper's point query. */
  readonly pointQueries: boolean;
  readonly random: (type: QuestionType) => Rng;
}

export interface DrawnQuestion {
  readonly query: Query;
  readonly answer: string;
}

const strictShare = 0.6;
const attempts = 8;
/** How often a scene is one that occurs, and not just any. */
const presentShare = 0.8;

export function drawQuestions(ledger: CountedLedger, options: DrawOptions): DrawnQuestion[] {
  const { spendings } = ledger;
  const dates = [...new Set(spendings.map(({ date }) => date))].sort();
  const present = scenes.filter((scene) => spendings.some((spending) => spending.scene === scene));

  const range = (random: Rng) => (dates.length === 1 ? [dates[0]!, dates[0]!] : random.sample(dates, 2).sort());
  const scene = (random: Rng) => random.pick(random.next() < presentShare ? present : scenes);
  const draws: Readonly<Record<QuestionType, (random: Rng) => Omit<Query, "type">>> = {
    time_range_scene_amount: (random) => ({ scenes: [scene(random)], dates: range(random) }),
    time_range_multiple_scenes_amount: (random) => {
      const first = scene(random);
      const others = random.sample(
        scenes.filter((name) => name !== first),
        random.int(1, 2),
      );
      return { scenes: random.shuffle([first, ...others]), dates: range(random) };
    },
    time_range_total_amount: (random) => ({ scenes: [], dates: range(random) }),
    max_scene: (random) => ({ scenes: [], dates: range(random) }),
    max_frequency_date: (random) => ({ scenes: [random.pick(present)], dates: [] }),
    max_single_amount: (random) => ({ scenes: [], dates: range(random) }),
    single_date_scene_amount: (random) => {
      const on = random.pick(spendings);
      return { scenes: [random.next() < presentShare ? on.scene : random.pick(scenes)], dates: [on.date] };
    },
    total_amount: () => ({ scenes: [], dates: [] }),
    single_date_subscene_amount: (random) => {
      const on = random.pick(spendings);
      return { scenes: [sceneOf(on.subscene as Subscene)], subscene: on.subscene, dates: [on.date] };
    },
  };

  const drawn = new Map<string, DrawnQuestion>();
  for (const type of Object.keys(draws) as QuestionType[]) {
    if (type === "single_date_subscene_amount" && !options.pointQueries) continue;
    const random = options.random(type);
    const count = type === "total_amount" ? 1 : options.perType;
    for (let draw = 0; draw < count; draw++) {
      const strict = draw < count * strictShare;
      for (let attempt = 1; attempt <= attempts; attempt++) {
        const query: Query = { type, ...draws[type](random) };
        const answer = answerQuery(ledger, query);
        const tooLong = answer.split(", ").length > options.maxTies;
        const insists = strict && query.dates.length > 0 && attempt < attempts;
        if (tooLong || (insists && answer === answerQuery(ledger, { ...query, dates: [] }))) continue;
        const key = JSON.stringify([type, [...query.scenes].sort(), query.dates, query.subscene ?? null]);
        if (!drawn.has(key)) drawn.set(key, { query, answer });
        break;
      }
    }
  }
  return [...drawn.values()];
}
