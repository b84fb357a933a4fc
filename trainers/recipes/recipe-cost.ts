/**
 * What a recipe asks of a machine, as arithmetic that can be read: bytes that have to be held, tokens that have to be trained.
 *
 * Bytes per parameter are what the learner service keeps (its README, "Sizes that fit"). Its speed on a processor was measured
 * there; that of a graphics card was not measured by us, so a published number stands for it. Both bounds of the time are
 * bounds: the least trains every chunk's text once per trajectory and nothing else, the most fills every session's budget.
 */
import type { EvalContext } from "../../evals/benchmark.ts";
import { SessionLimits } from "../../nodes/session/limits.ts";
import { klOf } from "../objective/objective.ts";
import { objectiveFrom } from "../objective/objectives.ts";
import { checkedSources } from "./check-data.ts";
import type { Machine } from "./machine.ts";
import { type ModelSize, modelSize } from "./model-size.ts";
import type { RlRecipe } from "./recipe.ts";

export interface MemoryNeed {
  /** What is held, and how many bytes of it. */
  readonly items: readonly { readonly what: string; readonly bytes: number }[];
  readonly bytes: number;
  /** Of the card, or of the machine where there is none. */
  readonly available: number;
}

export interface TimeNeed {
  /** Mean over updates. */
  readonly sessionsPerUpdate: number;
  readonly tokensPerUpdate: { readonly least: number; readonly most: number };
  readonly tokensPerSecond: number;
  /** Where the speed comes from. */
  readonly speed: string;
  readonly days: { readonly least: number; readonly most: number };
}

export interface RecipeCost {
  readonly size: ModelSize;
  readonly memory: MemoryNeed;
  readonly time: TimeNeed;
}

/** Forward and backward of one token, per parameter and second: 76 tokens/s of 134.5 M parameters on one thread. */
const parametersPerSecondOfACore = 76 * 134.5e6;
/** 3,400 tokens/s of Qwen3-4B (4.02 G) per H200 in prime-rl's published runs, all parameters; 6,200 with adapters. */
const parametersPerSecondOfACard = { all: 3_400 * 4.02e9, adapter: 6_200 * 4.02e9 };
const charactersPerToken = 4;
const day = 86_400;

/** Null when the model's shape is not known. */
export async function recipeCost(recipe: RlRecipe, machine: Machine): Promise<RecipeCost | null> {
  const size = modelSize(recipe.model);
  if (!size) return null;
  return { size, memory: memoryNeed(recipe, size, machine), time: await timeNeed(recipe, size, machine) };
}

function memoryNeed(recipe: RlRecipe, size: ModelSize, { gpu, memory }: Machine): MemoryNeed {
  const { parameters, layers, width, kvPerToken } = size;
  const numberBytes = gpu ? 2 : 4;
  const tokens = sessionTokens(recipe);
  const full = recipe.loraRank === null;
  const reference = klOf(objectiveFrom(recipe.objective)) !== null;
  const items = [
    { what: `weights that compute (${numberBytes} bytes each)`, bytes: parameters * numberBytes },
    ...(full
      ? [
          ...(gpu ? [{ what: "fp32 masters (4)", bytes: parameters * 4 }] : []),
          { what: "gradients (4)", bytes: parameters * 4 },
          { what: "Adam's two moments (8)", bytes: parameters * 8 },
          { what: `a copy to sample from (${numberBytes})`, bytes: parameters * numberBytes },
          ...(reference ? [{ what: `the reference policy (${numberBytes})`, bytes: parameters * numberBytes }] : []),
        ]
      : [{ what: "adapter with gradients and moments", bytes: 16 * adapterSize(size, recipe.loraRank!) }]),
    {
      what: `activations of one session of ${whole(tokens)} tokens (${layers} layers × ${width} × ${numberBytes})`,
      bytes: layers * width * numberBytes * tokens,
    },
    {
      what: `KV cache of one session (${whole(kvPerToken * numberBytes)} bytes a token); more of them at once are faster`,
      bytes: kvPerToken * numberBytes * tokens,
    },
  ];
  return { items, bytes: sum(items.map(({ bytes }) => bytes)), available: gpu?.memory ?? memory };
}

/** Rank r on the seven matrices of a layer, each about width by width or wider. */
const adapterSize = ({ layers, width }: ModelSize, rank: number) => layers * 7 * 3 * width * rank;

async function timeNeed(recipe: RlRecipe, { parameters }: ModelSize, { gpu }: Machine): Promise<TimeNeed> {
  const { G } = recipe.rollout;
  let sessions = 0;
  let least = 0;
  for (const { source, contexts } of await checkedSources("data", recipe.data, recipe.rollout.M)) {
    const M = source.M === undefined ? recipe.rollout.M : source.M;
    const perContext = contexts.map((context) => ({
      sessions: G * (context.chunks.length + (M ?? context.questions.length)),
      tokens: (G * charactersOf(context)) / charactersPerToken,
    }));
    const times = source.contexts / source.every;
    sessions += times * mean(perContext.map((context) => context.sessions));
    least += times * mean(perContext.map((context) => context.tokens));
  }
  const most = sessions * sessionTokens(recipe);
  const full = recipe.loraRank === null;
  const pace = gpu ? parametersPerSecondOfACard[full ? "all" : "adapter"] : parametersPerSecondOfACore;
  const tokensPerSecond = pace / parameters;
  const days = (tokens: number) => (tokens * recipe.updates) / tokensPerSecond / day;
  return {
    sessionsPerUpdate: sessions,
    tokensPerUpdate: { least, most: Math.max(least, most) },
    tokensPerSecond,
    speed: gpu
      ? "published for an H200 and Qwen3-4B, scaled by parameters; not measured here"
      : "measured on one thread with 134.5 M parameters, scaled by parameters",
    days: { least: days(least), most: days(Math.max(least, most)) },
  };
}

function sessionTokens({ rollout }: RlRecipe): number {
  const { promptTokens, interactionTokens } = SessionLimits.parse(rollout.limits);
  return promptTokens + interactionTokens;
}

const charactersOf = ({ chunks }: EvalContext) => sum(chunks.map(({ length }) => length));
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;
const whole = (value: number) => Math.round(value).toLocaleString("en");
