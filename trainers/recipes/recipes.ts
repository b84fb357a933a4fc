/** The recipes that come with the package, by name. */
import { ablation } from "./ablation.ts";
import { coldStart } from "./cold-start.ts";
import { controlExpert, controlSameTeacher, controlUntrained } from "./controls.ts";
import { demo } from "./demo.ts";
import type { RecipeFile } from "./recipe-file.ts";
import { sftExpert } from "./sft-expert.ts";
import { sftFirst } from "./sft-first.ts";
import { sftFourth } from "./sft-fourth.ts";
import { sftSecond } from "./sft-second.ts";
import { sftThird } from "./sft-third.ts";
import { umaGeneralist } from "./uma-generalist.ts";
import { umaGlobalGroup } from "./uma-global-group.ts";
import { umaSpecialist } from "./uma-specialist.ts";
import { umaTwoStage } from "./uma-two-stage.ts";

export const recipes: Readonly<Record<string, RecipeFile>> = {
  demo,
  "uma-generalist": umaGeneralist,
  "uma-specialist": umaSpecialist,
  "uma-global-group": umaGlobalGroup,
  "uma-two-stage": umaTwoStage,
  "sft-first": sftFirst,
  "sft-second": sftSecond,
  "sft-third": sftThird,
  "sft-fourth": sftFourth,
  "sft-expert": sftExpert,
  "cold-start": coldStart,
  ablation,
  "control-same-teacher": controlSameTeacher,
  "control-expert": controlExpert,
  "control-untrained": controlUntrained,
};

export const recipeNames = (): readonly string[] => Object.keys(recipes);
