/** What one session's record alone shows of its policy's habits, whatever the benchmark. */
import type { CallRecord, SessionRecord, Stage } from "../../nodes/session/record.ts";
import type { Tool } from "../../tools/tool.ts";
import { toolsets } from "../../tools/toolsets.ts";
import type { Tally } from "./habit.ts";

const known = new Map<string, readonly Stage[]>(
  Object.values(toolsets).flatMap(({ tools }) => tools.map((tool: Tool) => [tool.name, tool.phases] as const)),
);

export function countSessionHabits(record: SessionRecord, tally: Tally): void {
  const { calls, stage } = record;
  for (const call of calls) {
    tally.count("wrongTool", isNoTool(call));
    tally.count("invalidCall", call.verdict === "invalid");
    tally.count("miss", call.verdict === "miss");
    tally.count("repairedCall", call.verdict === "repaired");
  }
  tally.count("unfinished", record.end !== "text");
  if (stage === "qa") {
    tally.count(
      "illegalCall",
      calls.some((call) => isOfOtherPhase(call, stage)),
    );
    if (record.answer !== null) tally.count("noLook", record.given.length === 0 && !calls.some(wasRun));
    return;
  }
  if (record.core) tally.count("emptyCore", record.core.after.trim() === "");
  const writes = calls.flatMap((call) => call.writes);
  const sign = { add: 1, update: 0, delete: -1 } as const;
  tally.count(
    "bankGrowth",
    writes.reduce((sum, { op }) => sum + sign[op], 0),
  );
}

/** A call whose arguments could not be read may have meant any tool. */
const isNoTool = ({ name, args, verdict }: CallRecord) => verdict === "invalid" && args !== null && !known.has(name);

/** Refusals over a limit are of tools that the phase has. */
const isOfOtherPhase = ({ name, verdict }: CallRecord, stage: Stage) =>
  verdict === "refused" && known.get(name)?.includes(stage) === false;

const wasRun = ({ verdict }: CallRecord) => verdict === "valid" || verdict === "repaired" || verdict === "miss";
