/** The tree of a run for the terminal: a line per context, trajectory and session, as deep as is asked for. */
import { clipToWidth, printable } from "../../evals/reports/display-width.ts";
import { whole } from "../../evals/reports/format-number.ts";
import type { CallVerdict } from "../../tools/call.ts";
import { advantageText, rewardText } from "../credit/credit-lines.ts";
import { questionLabel } from "../credit/credit-tables.ts";
import { type ContextNode, mean, type SessionNode, type TrajectoryNode } from "./run-tree.ts";

/** `contexts` a line per context · `trajectories` those below it · `sessions` and those below them. */
export type Depth = "contexts" | "trajectories" | "sessions";

/** What was planned, so that an unfinished run shows what it lacks. */
export interface Expected {
  readonly trajectories: number;
  /** Per trajectory: [memory, QA]. */
  readonly sessions: (context: ContextNode) => readonly [number, number];
}

export function treeLines(
  contexts: readonly ContextNode[],
  { depth, expected, width }: { readonly depth: Depth; readonly expected: Expected; readonly width: number },
): string[] {
  return contexts.flatMap((context) => [
    contextLine(context, expected),
    ...(depth === "contexts"
      ? []
      : context.trajectories.flatMap((trajectory) => [
          `  ${trajectoryLine(trajectory, expected.sessions(context))}`,
          ...(depth === "sessions"
            ? trajectory.sessions.map((session) => clipToWidth(`    ${sessionLine(session)}`, width))
            : []),
        ])),
  ]);
}

function contextLine({ context, facets, trajectories, ...node }: ContextNode, expected: Expected): string {
  const [N, M] = expected.sessions({ context, facets, trajectories, ...node });
  const done = trajectories.reduce((sum, { sessions }) => sum + sessions.length, 0);
  const planned = expected.trajectories * (N + M);
  const facetText = Object.entries(facets).map(([name, value]) => `${name} ${value}`);
  const failed = trajectories.reduce((sum, trajectory) => sum + trajectory.failed, 0);
  return [
    printable(context),
    ...facetText.map(printable),
    `${whole(trajectories.length)} of ${whole(expected.trajectories)} trajectories`,
    `${whole(done)} of ${whole(planned)} sessions`,
    `r̄ ${rewardText(mean(trajectories.map(({ r_bar }) => r_bar)))}`,
    ...(failed > 0 ? [`${whole(failed)} failed`] : []),
  ].join(" · ");
}

function trajectoryLine(
  { trajectory, r_bar, meanA, failed, tokens, sessions }: TrajectoryNode,
  [N, M]: readonly [number, number],
): string {
  const done = (stage: SessionNode["stage"]) => sessions.filter((session) => session.stage === stage).length;
  return [
    `t${trajectory}`,
    ...(N > 0 ? [`${done("memory")}/${N} chunks`] : []),
    `${done("qa")}/${M} questions`,
    `r̄ ${rewardText(r_bar)}`,
    `mean A ${N > 0 ? `memory ${advantageText(meanA.memory)}, ` : ""}QA ${advantageText(meanA.qa)}`,
    ...(failed > 0 ? [`${whole(failed)} failed`] : []),
    `${whole(tokens)} tokens`,
  ].join(" · ");
}

export function sessionLine(node: SessionNode): string {
  const { position, question, R, A, r_tool, r_outcome, reason, end, counted, writes, tokens, calls } = node;
  const name = printable(question === null ? `m${position}` : questionLabel(question));
  return [
    name,
    `R ${rewardText(R)}`,
    `A ${advantageText(A)}${A === null && reason !== null ? ` (${reason})` : ""}`,
    `r_tool ${rewardText(r_tool)}${counted && counted.total > 0 ? ` = ${counted.valid}/${counted.total}` : ""}`,
    `outcome ${rewardText(r_outcome)}`,
    `end ${end}`,
    ...(writes ? [`+${writes.add} ~${writes.update} −${writes.delete}`] : []),
    `${whole(tokens.prompt + tokens.interaction)} tokens`,
    callsText(calls),
  ].join(" · ");
}

export const verdictSign: Readonly<Record<CallVerdict, string>> = {
  valid: "",
  repaired: " (repaired)",
  miss: " (miss)",
  invalid: " (invalid)",
  refused: " (refused)",
};

/** Calls of one kind together: "memory_add ×3, memory_update (miss)". */
function callsText(calls: SessionNode["calls"]): string {
  if (calls.length === 0) return "no calls";
  const counts = new Map<string, number>();
  for (const { name, verdict } of calls) {
    const text = `${name === "" ? "(unreadable)" : printable(name)}${verdictSign[verdict]}`;
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return [...counts].map(([text, count]) => (count === 1 ? text : `${text} ×${count}`)).join(", ");
}
