/** Sessions for tests: dependencies with exact, small budgets, and a run through either driver with all that left it. */
import { runSession } from "../../graphs/run-session.ts";
import { createSessionGraph } from "../../graphs/session.ts";
import type { Bank } from "../../memory/bank.ts";
import type { Prompts } from "../../nodes/prompts/prompts.ts";
import type { SessionDeps } from "../../nodes/session/deps.ts";
import type { SessionLimits } from "../../nodes/session/limits.ts";
import { liveObjects } from "../../nodes/session/live-objects.ts";
import type { SessionRecord } from "../../nodes/session/record.ts";
import type { Session, SessionUpdate } from "../../nodes/session/state.ts";
import type { Policy } from "../../policies/policy.ts";
import type { Source } from "../../retrieval/source.ts";
import { toolsets } from "../../tools/toolsets.ts";

const template = (user: string) => ({ system: "SYSTEM", user, hash: user });

/** Prompts that are almost nothing, so that budgets can be counted by hand. */
export const barePrompts: Prompts = {
  name: "bare",
  hash: "bare",
  maintenance: template("{memory}{chunk}"),
  answering: template("{memory}{question}"),
  concat: template("{context}{question}"),
  rag: template("{context}{question}"),
};

export interface SessionSetting extends Partial<Omit<SessionDeps, "limits" | "live" | "policy">> {
  readonly limits?: Partial<SessionLimits>;
  readonly bank?: Bank;
  readonly source?: Source;
  readonly input?: SessionUpdate;
}

export interface SessionRun {
  readonly state: Session;
  readonly record: SessionRecord;
  /** The bank that the session left behind. */
  readonly bank: () => Bank;
}

export type Driver = (policy: Policy, setting?: SessionSetting) => Promise<SessionRun>;

function prepare(policy: Policy, { limits, bank, source, input, ...given }: SessionSetting) {
  const live = liveObjects();
  const records: SessionRecord[] = [];
  const deps: SessionDeps = {
    policy,
    toolset: toolsets.paper,
    prompts: barePrompts,
    // a character is a token here; budgets are wide unless a test says otherwise
    limits: {
      promptTokens: 100_000,
      interactionTokens: 100_000,
      maxTurns: 32,
      maxCalls: 16,
      maxObservation: 4_096,
      ...limits,
    },
    live,
    variant: "test",
    record: (record) => records.push(record),
    ...given,
  };
  const opened: SessionUpdate = {
    stage: "memory",
    core: "the old core",
    focus: "the chunk",
    ...(bank && { memoryRef: live.keepBank(bank) }),
    ...(source && { sourceRef: live.keepSource(source) }),
    ...input,
  };
  const result = (state: Session): SessionRun => {
    if (records.length !== 1) throw new Error(`expected one record, got ${records.length}`);
    return { state, record: records[0]!, bank: () => live.bank(state.memoryRef) };
  };
  return { deps, opened, result };
}

export const throughLoop: Driver = async (policy, setting = {}) => {
  const { deps, opened, result } = prepare(policy, setting);
  return result(await runSession(opened, deps));
};

export const throughGraph: Driver = async (policy, setting = {}) => {
  const { deps, opened, result } = prepare(policy, setting);
  return result((await createSessionGraph(deps).invoke(opened)) as Session);
};

/** Somewhere to put the records of graphs and agents. */
export const recording = () => {
  const records: SessionRecord[] = [];
  return { records, record: (record: SessionRecord) => records.push(record) };
};
