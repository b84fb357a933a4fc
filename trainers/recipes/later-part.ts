/** What the parts of the embedded policy after the first have in common: another policy to begin with, other sessions, no new words. */
import { ledgerScoring } from "./ledger-scoring.ts";
import type { SftFile } from "./recipe-file.ts";
import { firstPart } from "./sft-first.ts";
import type { SftRecipe } from "./sft-recipe.ts";

interface LaterPart extends Pick<SftRecipe, "summary" | "seed" | "sets" | "steps" | "learningRate"> {
  /** The recipe of the part before, whose policy is taken over. */
  readonly after: string;
}

export const laterPart = ({ after, sets, ...own }: LaterPart): SftFile => ({
  kind: "sft",
  usual: "dev",
  fields: {
    ...firstPart,
    start: `runs/${after}/policy`,
    sets,
    vocabulary: { sessions: 0, least: sets.map(() => 2) },
    ...own,
  },
  scales: { dev: { scoring: ledgerScoring([2, 3, 5, 10], 10) } },
});
