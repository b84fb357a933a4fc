/** Which part of a run is looked at, from what was typed: a wrong name is answered with those there are. */
import { closest } from "../../base/closest.ts";
import { UmaError } from "../../base/errors.ts";
import type { ContextNode, SessionNode } from "./run-tree.ts";

export interface Choice {
  /** An id, or a 0-based index into the contexts of the log. */
  readonly context?: string;
  readonly trajectory?: number;
  readonly chunk?: number;
  readonly question?: string;
}

/** The same tree with less in it. Throws `config` for what is not there. */
export function chooseSessions(contexts: readonly ContextNode[], choice: Choice): ContextNode[] {
  const { trajectory, chunk, question } = choice;
  const inContext = choice.context === undefined ? contexts : [contextNamed(contexts, choice.context)];
  const chosen = inContext
    .map((context) => ({
      ...context,
      trajectories: context.trajectories
        .filter((node) => trajectory === undefined || node.trajectory === trajectory)
        .map((node) => ({ ...node, sessions: node.sessions.filter(isChosen(choice)) })),
    }))
    .filter(({ trajectories }) => trajectory === undefined || trajectories.length > 0);
  if (trajectory !== undefined && chosen.length === 0)
    throw notThere(
      `trajectory ${trajectory}`,
      inContext.flatMap(({ trajectories }) => trajectories.map((node) => `${node.trajectory}`)),
    );
  if (chunk === undefined && question === undefined) return chosen;
  const withLeaves = chosen
    .map((context) => ({
      ...context,
      trajectories: context.trajectories.filter(({ sessions }) => sessions.length > 0),
    }))
    .filter(({ trajectories }) => trajectories.length > 0);
  if (withLeaves.length > 0) return withLeaves;
  const all = inContext.flatMap(({ trajectories }) => trajectories.flatMap(({ sessions }) => sessions));
  if (chunk !== undefined)
    throw notThere(
      `session for chunk ${chunk}`,
      all.flatMap(({ stage, position }) => (stage === "memory" ? [`${position}`] : [])),
    );
  throw notThere(
    `session for question "${question}"`,
    all.flatMap((session) => session.question ?? []),
  );
}

const isChosen =
  ({ chunk, question }: Choice) =>
  (session: SessionNode) =>
    (chunk === undefined || (session.stage === "memory" && session.position === chunk)) &&
    (question === undefined || session.question === question);

function contextNamed(contexts: readonly ContextNode[], name: string): ContextNode {
  const byId = contexts.find(({ context }) => context === name);
  const found = byId ?? (/^\d+$/.test(name) ? contexts[Number(name)] : undefined);
  if (found) return found;
  const ids = contexts.map(({ context }) => context);
  const meant = closest(name, ids);
  throw new UmaError("config", `the run has no context "${name}"`, {
    fix: meant ? `did you mean ${meant}?` : `contexts 0 to ${ids.length - 1}: ${few(ids)}`,
  });
}

const notThere = (what: string, there: readonly string[]) =>
  new UmaError("config", `the log has no ${what} here`, {
    fix: there.length === 0 ? "no such session is finished yet" : `there are: ${few([...new Set(there)])}`,
  });

const few = (names: readonly string[]) => `${names.slice(0, 12).join(", ")}${names.length > 12 ? ", …" : ""}`;
