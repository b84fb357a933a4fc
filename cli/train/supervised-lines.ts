/** A supervised run in words: a line per report, and what it came to. */
import { absent, percent, whole } from "../../evals/reports/format-number.ts";
import type { SftRecipe } from "../../trainers/recipes/sft-recipe.ts";
import type { SupervisedReport } from "../../trainers/sft/train-supervised.ts";
import type { SupervisedResult } from "../../trainers/sft/train-supervised-recipe.ts";
import { clock } from "./training-lines.ts";

export function reportLine(report: SupervisedReport, { steps }: Pick<SftRecipe, "steps">): string {
  const { step, loss, gradNorm, tokens, seconds, heldOut } = report;
  const share = (value: number | null) => (value === null ? absent : `${percent(value)} %`);
  return [
    `step ${whole(step)}/${whole(steps)}: loss ${loss.toFixed(4)}`,
    ...(gradNorm === null ? [] : [`gradient ${gradNorm.toFixed(3)}`]),
    ...(heldOut === null
      ? []
      : [
          `held out: loss ${heldOut.loss.toFixed(4)}, as the teacher's memory ${share(heldOut.memory)}, QA ${share(heldOut.qa)}`,
        ]),
    `${whole(tokens / Math.max(seconds, 1e-9))} tokens/s`,
    ...(step < steps ? [`${clock((seconds / step) * (steps - step))} left`] : []),
  ].join(" · ");
}

export function resultLines({ published, policy, scores, folder }: SupervisedResult): string[] {
  const share = (value: number | null) => (value === null ? absent : percent(value));
  return [
    ...scores.map(
      ({ benchmark, config, tokens, metric, mean, low, high, contexts }) =>
        `${benchmark}${config.horizon === undefined ? "" : ` horizon ${config.horizon}`}, ${tokens}: ${metric} ${share(mean)} [${share(low)}, ${share(high)}] (${contexts} contexts)`,
    ),
    `run folder: ${folder}`,
    policy === null
      ? `weights:    ${published}, with the learner`
      : `weights:    ${policy.folder} (${whole(policy.parameters)} parameters, ${whole(policy.bytes)} bytes)`,
  ];
}
