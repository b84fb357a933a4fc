/**
 * LoCoMo (Maharana et al. 2024; UMA §4.1, App. E.3): ten long conversations between two people over months, 1,986
 * questions. One chunk per session; every question is asked at the end.
 *
 * A raw row: {"question": "…", "answer": "7 May 2023", "evidence": ["D1:3"], "category": 2}
 *
 * Adversarial rows have no gold. By default they are asked as the paper asks them, as a choice of two, and every metric
 * gives such a question 1 for the right letter and 0 otherwise (guessing gives 0.5). `adversarial: "as-is"` asks the
 * question as it stands and leaves it unscored, but for the two rows that do have a gold.
 */
import { z } from "zod";
import { UmaError } from "../../../base/errors.ts";
import { defineBenchmark } from "../../benchmark.ts";
import { bleu1 } from "../../metrics/bleu-1.ts";
import { exactMatch } from "../../metrics/exact-match.ts";
import { rougeL } from "../../metrics/rouge-l.ts";
import { subEm } from "../../metrics/sub-em.ts";
import { tokenF1 } from "../../metrics/token-f1.ts";
import { choiceAware } from "./adversarial-choice.ts";
import { readBadGold } from "./bad-gold-file.ts";
import { knownBadGold } from "./known-bad-gold.ts";
import { type LocomoContexts, locomoContexts } from "./locomo-contexts.ts";
import { readLocomo } from "./read-locomo.ts";

const configSchema = z.strictObject({
  data: z.string().describe("Path of your copy of locomo10.json"),
  categories: z
    .array(z.int().min(1).max(5))
    .min(1)
    .default([1, 2, 3, 4, 5])
    .describe("1 multi-hop · 2 temporal · 3 open-domain · 4 single-hop · 5 adversarial"),
  limit: z.int().positive().optional().describe("The first so many conversations"),
  badGold: z
    .enum(["keep", "drop"])
    .default("keep")
    .describe("Questions whose gold is known to be wrong: the listed ones and those of --bad-gold-file"),
  badGoldFile: z.string().optional().describe("Further questions to drop"),
  adversarial: z
    .enum(["choice", "as-is"])
    .default("choice")
    .describe("choice: of two, as the paper asks; as-is: unscored, since there is no gold"),
  temporalHint: z.boolean().default(true).describe("Ask temporal questions for an approximate date, as the paper does"),
  seed: z.int().default(0).describe("Draws the order of the options of adversarial questions"),
});

export type LocomoConfig = z.infer<typeof configSchema>;

export const locomo = defineBenchmark<LocomoConfig>({
  name: "locomo",
  family: "AR",
  paper: "§4.1, App. E.3, Table 7: 10 contexts, 198.6 questions and 27.2 chunks each",
  description: "questions about long conversations between two people, over months",
  config: configSchema,
  async *load(config) {
    yield* loadLocomo(config).contexts;
  },
  metrics: [tokenF1, exactMatch, subEm, rougeL, bleu1].map(choiceAware),
  headline: tokenF1.name,
});

/** The contexts with what had to be left out of them. */
export function loadLocomo(config: LocomoConfig): LocomoContexts {
  if (config.badGoldFile !== undefined && config.badGold === "keep")
    throw new UmaError("config", "badGoldFile names questions to leave out, but badGold is keep", {
      fix: "set badGold to drop, or leave badGoldFile out",
    });
  const conversations = readLocomo(config.data);
  const listed = config.badGoldFile === undefined ? [] : readBadGold(config.badGoldFile);
  const known = new Set(conversations.flatMap(({ id, rows }) => rows.map(({ index }) => `${id}:${index}`)));
  const unknown = listed.find(({ id }) => !known.has(id));
  if (unknown)
    throw new UmaError("input", `${config.badGoldFile} names ${unknown.id}, which ${config.data} does not have`, {
      fix: "ids are conversation and 0-based row, e.g. conv-26:5",
    });
  return locomoContexts(conversations.slice(0, config.limit), {
    ...config,
    badGold: config.badGold === "drop" ? [...knownBadGold, ...listed] : [],
  });
}
