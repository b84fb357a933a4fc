/**
 * UMA, the paper's method (§2): a memory maintained chunk by chunk, questions answered from it and from the raw context.
 *
 * Options are the rows of Table 2 that need no training: `withoutPhaseOne` keeps nothing and answers by retrieval alone,
 * `withoutRawContext` answers from the memory alone.
 */
import { z } from "zod";
import { memoryCodec } from "../../../memory/codec.ts";
import { emptyMemory, type Memory } from "../../../memory/memory.ts";
import { liveObjects } from "../../../nodes/session/live-objects.ts";
import { memoryAfter } from "../../../nodes/session/memory-after.ts";
import { type Toolset, withoutSearch } from "../../../tools/toolsets.ts";
import { createAnsweringGraph } from "../../answering.ts";
import { createMaintenanceGraph } from "../../maintenance.ts";
import { runSession } from "../../run-session.ts";
import { createKeepChunksGraph } from "../keep-chunks.ts";
import { sessionDeps, sessionIdentity } from "../session-deps.ts";
import { defineVariant, type Variant } from "../variant.ts";

export const factory = defineVariant({
  name: "uma",
  params: z.strictObject({
    withoutPhaseOne: z
      .boolean()
      .default(false)
      .describe("No memory is built: questions are answered by retrieval only"),
    withoutRawContext: z.boolean().default(false).describe("No search over the raw context while answering"),
  }),
  create({ withoutPhaseOne, withoutRawContext }): Variant<Memory> {
    const name = ["uma", withoutPhaseOne && "withoutPhaseOne", withoutRawContext && "withoutRawContext"]
      .filter(Boolean)
      .join(":");
    const offered = (toolset: Toolset) => (withoutRawContext ? withoutSearch(toolset) : toolset);
    return {
      name,
      paper: withoutPhaseOne ? "UMA (w/o Phase I)" : withoutRawContext ? "UMA (w/o Raw-Context)" : "UMA",
      description: "a memory bank and a core, maintained chunk by chunk; answers from both and from the raw context",
      questionHidden: true,
      codec: memoryCodec,
      keepsMemory: !withoutPhaseOne,
      begin: () => emptyMemory,
      replay: memoryAfter,
      async memorize(memory, k, env) {
        if (withoutPhaseOne) return memory;
        const live = liveObjects();
        const session = await runSession(
          {
            stage: "memory",
            core: memory.core,
            focus: env.source.chunks[k]!,
            position: k,
            memoryRef: live.keepBank(memory.bank),
            identity: sessionIdentity(env, null),
          },
          sessionDeps({ ...env, toolset: offered(env.toolset) }, live, name),
        );
        return { core: session.outcome?.text ?? memory.core, bank: live.bank(session.memoryRef) };
      },
      async answer(memory, question, env) {
        const live = liveObjects();
        const session = await runSession(
          {
            stage: "qa",
            core: memory.core,
            focus: question.text,
            position: question.position,
            memoryRef: live.keepBank(memory.bank),
            sourceRef: live.keepSource(env.source),
            identity: sessionIdentity(env, question.id),
          },
          sessionDeps({ ...env, toolset: offered(env.toolset) }, live, name),
        );
        return session.outcome?.text ?? null;
      },
      phases(deps) {
        const own = { ...deps, variant: name, toolset: offered(deps.toolset) };
        return {
          memorize: withoutPhaseOne ? createKeepChunksGraph(own) : createMaintenanceGraph(own),
          answer: createAnsweringGraph(own),
        };
      },
    };
  },
});
