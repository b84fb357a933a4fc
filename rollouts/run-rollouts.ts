/**
 * Nested sampling (UMA §2.3.1, Fig. 3): G memory trajectories per context, each final memory branched into the same M questions.
 *
 * The N sessions of a trajectory follow one another; everything else runs side by side under one limit. A question is
 * asked as soon as the memory that it is asked of is final. What is finished already is replayed from its record. A session
 * that fails is data; only what is no session's fault stops the run.
 */
import type { SessionRecord } from "../nodes/session/record.ts";
import { drawQuestions } from "./draw-questions.ts";
import type { Halt } from "./halt.ts";
import { jobQueue, type Ranked } from "./job-queue.ts";
import { answerSessionId, memorySessionId, type RolloutContext } from "./rollout-context.ts";
import type { SessionEngine } from "./session-engine.ts";

export interface RolloutPlan<Handle> {
  readonly engine: SessionEngine<Handle>;
  /** Trajectories per context. */
  readonly G: number;
  /** Questions per context; null for all of them. */
  readonly M: number | null;
  readonly seed: number;
  /** Sessions in flight over all contexts: the one limit of the policy's endpoint. */
  readonly concurrency: number;
  /** Whether the variant runs a session per chunk; if not, phase I costs nothing and is run in one go. */
  readonly keepsMemory: boolean;
  readonly halt: Halt;
  /** The next context; null when there is none, or none is wanted any more. Never called twice at once. */
  readonly next: () => Promise<RolloutContext | null>;
  /** The record of a session that was finished before. */
  readonly finished: (id: string) => SessionRecord | undefined;
  /** Each session as it ends. A promise that it gives back is waited for before more sessions start. */
  readonly record: (record: SessionRecord) => void | Promise<void>;
  /** How many sessions a context adds, when it is taken. */
  readonly onContext?: (context: RolloutContext, sessions: number) => void;
}

export interface RolloutOutcome {
  /** Contexts that were taken and have a session left to run. */
  readonly unfinished: number;
}

interface Job extends Ranked {
  run(): Promise<void>;
}

/** Never rejects: what broke is with `halt`. */
export async function runRollouts<Handle>(plan: RolloutPlan<Handle>): Promise<RolloutOutcome> {
  const { engine, halt, concurrency } = plan;
  const ready = jobQueue<Job>();
  const live = new Set<LiveContext>();
  let taken = 0;
  let running = 0;
  let loading = false;
  let ended = false;
  let unfinished = 0;

  return new Promise((resolve) => {
    const start = (job: Job) => {
      running++;
      job
        .run()
        .catch(halt.fail)
        .finally(() => {
          running--;
          pump();
        });
    };
    const load = () => {
      loading = true;
      plan
        .next()
        .then((context) => {
          if (context === null) ended = true;
          else open(context);
        })
        .catch((thrown) => {
          ended = true;
          halt.fail(thrown);
        })
        .finally(() => {
          loading = false;
          pump();
        });
    };
    const open = (context: RolloutContext) => {
      const opened = openContext(context, taken++, plan, (job) => ready.push(job));
      live.add(opened);
      plan.onContext?.(context, opened.sessions);
      opened.begin();
    };
    const settle = () => {
      for (const context of live) {
        if (context.left > 0) continue;
        live.delete(context);
        engine.release(context.context);
      }
    };
    function pump() {
      settle();
      const stopping = halt.stopping();
      while (!stopping && running < concurrency) {
        const job = ready.pop();
        if (job === undefined) break;
        start(job);
      }
      // also while stopping: a run whose last session has just ended is complete, and the source of contexts knows
      const room = running < concurrency && ready.size === 0;
      if (!ended && !loading && (room || stopping) && (!stopping || running === 0)) return load();
      if (running > 0 || loading) return;
      unfinished = live.size;
      resolve({ unfinished });
    }
    pump();
  });
}

interface LiveContext {
  readonly context: RolloutContext;
  readonly sessions: number;
  /** Sessions that are still to be finished. */
  readonly left: number;
  begin(): void;
}

function openContext<Handle>(
  context: RolloutContext,
  order: number,
  plan: RolloutPlan<Handle>,
  push: (job: Job) => void,
): LiveContext {
  const { engine, finished, G, keepsMemory } = plan;
  const questions = drawQuestions(context, plan.M, plan.seed);
  const N = context.chunks.length;
  const asked = new Set(questions.map(({ position }) => position));
  const lastAsked = Math.max(-1, ...asked);
  const ids = (i: number) => [
    ...(keepsMemory ? context.chunks.map((_, k) => memorySessionId(context.id, i, k)) : []),
    ...questions.map(({ id }) => answerSessionId(context.id, i, id)),
  ];
  let left = 0;
  for (let i = 0; i < G; i++) left += ids(i).filter((id) => !finished(id)).length;

  const deliver = async (record: SessionRecord) => {
    await plan.record(record);
    // a method that reads with the question in hand writes further records, for its inner steps
    if (record.stage === "memory" || record.id === answerSessionId(context.id, record.trajectory, record.question!))
      left--;
  };
  const ask = (i: number, k: number, memory: Handle, parent: string | null) => {
    if (!asked.has(k)) return;
    for (const [j, question] of questions.entries()) {
      if (question.position !== k) continue;
      if (finished(answerSessionId(context.id, i, question.id))) continue;
      push({
        remaining: 1,
        order: [order, i, N, j],
        run: () => engine.answer({ context, trajectory: i, question, memory, parent }, deliver),
      });
    }
  };
  const parentAt = (i: number, k: number) => (keepsMemory && k > 0 ? memorySessionId(context.id, i, k - 1) : null);

  /** Whether a question that is still to be asked needs chunk k: reading is only for them when it makes no sessions. */
  const wanted = (i: number, k: number) =>
    questions.some(({ id, position }) => position >= k && !finished(answerSessionId(context.id, i, id)));

  /** What follows once the memory stands before chunk `from`: replays what is finished, then leaves one job to run. */
  const goOn = (i: number, from: number, before: Handle) => {
    let memory = before;
    let recorded: SessionRecord[] = [];
    const catchUp = () => {
      if (recorded.length > 0) memory = engine.replay(memory, recorded);
      recorded = [];
    };
    let k = from;
    for (; k < N; k++) {
      const record = keepsMemory ? finished(memorySessionId(context.id, i, k)) : undefined;
      if (!record) break;
      recorded.push(record);
      if (!asked.has(k)) continue;
      catchUp();
      ask(i, k, memory, parentAt(i, k + 1));
    }
    if (k === N || !(keepsMemory || wanted(i, k))) return;
    catchUp();
    push({
      remaining: (keepsMemory ? N - k : 1) + (lastAsked >= k ? 1 : 0),
      order: [order, i, k],
      run: () => read(i, k, memory),
    });
  };
  const read = async (i: number, k: number, memory: Handle) => {
    const to = keepsMemory && engine.stride === "session" ? k + 1 : endOfSpan(i, k);
    const job = { context, trajectory: i, memory, parent: parentAt(i, k), from: k, to };
    const done = await engine.memorize(job, keepsMemory ? deliver : plan.record);
    // cut short: later sessions would read a memory that lacks this chunk
    if (done.reached < to) return;
    ask(i, to - 1, done.memory, parentAt(i, to));
    goOn(i, to, done.memory);
  };
  /** One past the next chunk that a question is asked after, or where sessions begin that are finished already. */
  const endOfSpan = (i: number, from: number) => {
    for (let k = from; k < N; k++) {
      if (asked.has(k)) return k + 1;
      if (keepsMemory && k > from && finished(memorySessionId(context.id, i, k))) return k;
    }
    return N;
  };

  return {
    context,
    sessions: G * ((keepsMemory ? N : 0) + questions.length),
    get left() {
      return left;
    },
    begin() {
      for (let i = 0; i < G; i++) goOn(i, 0, engine.begin());
    },
  };
}
