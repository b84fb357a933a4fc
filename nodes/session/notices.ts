/** The sentences that the session itself puts into a history. None of them may ever become a core or an answer. */
import { noRoom } from "../../tools/execute-calls.ts";
import type { Stage } from "./record.ts";

const lastTurn: Record<Stage, string> = {
  memory:
    "This is the last turn for this chunk and no tools are left. Reply now with the new core only, as plain text.",
  qa: "This is the last turn for this question and no tools are left. Reply now with your final answer, as plain text.",
};

export const lastTurnNotice = (stage: Stage) => lastTurn[stage];

export const noToolsLeft = "Not run: no tools are left in this session.";

/** Fewer words than this may stand in a notice by chance. */
const LEAST_WORDS = 4;

/** Whether a text repeats one of the session's own sentences, or is nothing but a part of one, as small models reply. */
export function holdsNotice(text: string): boolean {
  const flat = text.replace(/\s+/g, " ").trim();
  const folded = flat.toLowerCase();
  const maybePart = flat.split(" ").length >= LEAST_WORDS;
  return [...Object.values(lastTurn), noToolsLeft, noRoom].some(
    (notice) => flat.includes(notice) || (maybePart && notice.toLowerCase().includes(folded)),
  );
}
