/**
 * The `extractive` policy: no model, any text. It keeps dated, attributed sentences and answers with the best supported one.
 *
 * A floor that any model must beat, and a way to look around without one. It sees only what a model would see.
 */

import { readSection } from "../prompt-sections.ts";
import { type ScriptedPolicy, scriptedPolicy } from "../scripted-chat-model.ts";
import { answer } from "./answer.ts";
import { memorize } from "./memorize.ts";

export function extractive(): ScriptedPolicy {
  return scriptedPolicy({
    name: "extractive",
    script: (turn) => (readSection(turn.prompt, "chunk") === null ? answer(turn) : memorize(turn)),
  });
}
