/** Picks the cheapest exact mode, and says why; an approximation is taken only where it was allowed. */
import { UmaError } from "../../base/errors.ts";
import type { Judgement, Mode } from "./modes.ts";

export interface ChooseOptions {
  /** Take this mode and no other. */
  readonly mode?: Mode;
  readonly allowApproximate?: boolean;
}

/** `judgements` in order of cost. Throws `config` when nothing serves. */
export function chooseMode(
  judgements: readonly Judgement[],
  { mode, allowApproximate = false }: ChooseOptions,
): Judgement {
  const wanted = mode === undefined ? judgements : judgements.filter((judgement) => judgement.mode === mode);
  const chosen =
    wanted.find(({ fit }) => fit === "exact") ??
    (allowApproximate ? wanted.find(({ fit }) => fit === "approximate") : undefined);
  if (chosen) return chosen;
  const near = wanted.some(({ fit }) => fit === "approximate");
  throw new UmaError(
    "config",
    `${mode === undefined ? "no mode" : `mode ${mode}`} ships this objective exactly:\n${wanted
      .map((judgement) => `  ${judgement.mode}: ${judgement.because}`)
      .join("\n")}`,
    {
      fix: near ? "allow approximations, or change the objective or the engine" : "change the objective or the engine",
    },
  );
}
