/** Phase I of `extractive`: write the planned entries in a few turns, then commit the core. */
import { readSection } from "../prompt-sections.ts";
import type { ScriptedReply, ScriptedTurn } from "../scripted-chat-model.ts";
import { estimateTokens } from "../token-estimator.ts";
import { nextCore } from "./next-core.ts";
import { type PlannedEntry, planEntries } from "./plan-entries.ts";
import { readStatements } from "./statements.ts";

const CALLS_PER_TURN = 8;
const MOST_ATTEMPTS = 3;

export function memorize(turn: ScriptedTurn): ScriptedReply {
  const { entries, core } = planFor(turn.prompt);
  if (!turn.tools.has("memory_add")) return { text: core };
  let room = turn.maxTokens * 0.7;
  const calls = [];
  for (const entry of entries) {
    const title = nextTitle(entry, turn);
    if (title === null) continue;
    room -= estimateTokens(title) + estimateTokens(entry.content) + 20;
    if (room < 0 || calls.length === CALLS_PER_TURN) break;
    calls.push({ name: "memory_add", args: { title, content: entry.content } });
  }
  return calls.length > 0 ? { calls } : { text: core };
}

/** The title under which to try next: numbered when it was taken, null when the entry is in or has failed too often. */
function nextTitle(entry: PlannedEntry, turn: ScriptedTurn): string | null {
  const tries = turn.exchanges.filter(({ name, args }) => name === "memory_add" && args.content === entry.content);
  if (tries.some(({ observation }) => observation?.startsWith("Added "))) return null;
  if (tries.length >= MOST_ATTEMPTS) return null;
  const taken = tries.filter(({ observation }) => observation?.includes("is taken")).length;
  return taken === 0 ? entry.title : `${entry.title} (${taken + 1})`;
}

interface Plan {
  readonly entries: readonly PlannedEntry[];
  readonly core: string;
}

/** The plan follows from the prompt alone, and a session asks for it in every turn; some sessions run side by side. */
const plans = new Map<string, Plan>();
const MOST_PLANS = 32;

function planFor(prompt: string): Plan {
  const known = plans.get(prompt);
  if (known) return known;
  const statements = readStatements(readSection(prompt, "chunk") ?? "");
  const plan = {
    entries: planEntries(statements),
    core: nextCore(readSection(prompt, "core_memory") ?? "", statements),
  };
  if (plans.size >= MOST_PLANS) plans.delete(plans.keys().next().value!);
  plans.set(prompt, plan);
  return plan;
}
