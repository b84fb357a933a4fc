/** One context of an evaluation: its memory sessions in order, its questions from the memories that they are asked of. */
import type { Variant, VariantEnv } from "../graphs/variants/variant.ts";
import type { Prompts } from "../nodes/prompts/prompts.ts";
import type { SessionRecord } from "../nodes/session/record.ts";
import type { Policy } from "../policies/policy.ts";
import type { Source } from "../retrieval/source.ts";
import type { Toolset } from "../tools/toolsets.ts";
import type { EvalContext, Question } from "./benchmark.ts";
import type { Halt } from "./halt.ts";
import type { RunFolder } from "./run-folder.ts";
import type { SessionSlots } from "./session-slots.ts";

export interface ContextRun {
  readonly folder: RunFolder;
  readonly variant: Variant;
  readonly policy: Policy;
  readonly toolset: Toolset;
  readonly prompts: Prompts;
  readonly openSource: (chunks: readonly string[]) => Source;
  readonly slots: SessionSlots;
  readonly halt: Halt;
  readonly finished: (id: string) => SessionRecord | undefined;
  readonly record: (record: SessionRecord) => void;
}

/** Runs every session that is not finished yet; false when the run stopped before the last of them. */
export async function evaluateContext(context: EvalContext, run: ContextRun): Promise<boolean> {
  const { variant, finished, slots, halt } = run;
  const env = environment(context, run);
  const asked = byPosition(context.questions);
  const answers: Promise<void>[] = [];
  // never rejects: the memory goes on being built while answers are pending
  const answer = (memory: unknown, question: Question) =>
    slots
      .run(async () => {
        if (!halt.stopping()) await variant.answer(memory, question, env);
      })
      .catch(halt.fail);
  const memoryId = (k: number) => `${context.id}/t0/m${k}`;
  const answerId = ({ id }: Question) => `${context.id}/t0/q${id}`;
  try {
    let memory = variant.begin();
    for (let k = 0; k < context.chunks.length; k++) {
      const recorded = finished(memoryId(k));
      if (recorded) memory = variant.replay(memory, recorded);
      else {
        const before = memory;
        const after = await slots.run(async () =>
          halt.stopping() ? null : { memory: await variant.memorize(before, k, env) },
        );
        // a session that was cut short: later ones would read a memory that lacks it
        if (after === null || halt.signal.aborted) break;
        memory = after.memory;
      }
      for (const question of asked.get(k) ?? [])
        if (!finished(answerId(question))) answers.push(answer(memory, question));
    }
  } finally {
    await Promise.all(answers);
  }
  const read = !variant.keepsMemory || context.chunks.every((_, k) => finished(memoryId(k)));
  return read && context.questions.every((question) => finished(answerId(question)));
}

function environment(context: EvalContext, run: ContextRun): VariantEnv {
  const { config } = run.folder;
  return {
    policy: run.policy,
    source: run.openSource(context.chunks),
    toolset: run.toolset,
    prompts: run.prompts,
    limits: config.limits,
    run: config.name,
    context: context.id,
    trajectory: 0,
    seed: config.seed,
    record: run.record,
    signal: run.halt.signal,
  };
}

function byPosition(questions: readonly Question[]): Map<number, Question[]> {
  const groups = new Map<number, Question[]>();
  for (const question of questions) {
    const group = groups.get(question.position);
    if (group) group.push(question);
    else groups.set(question.position, [question]);
  }
  return groups;
}
