/** One session of a teacher, as text: what supervised training learns from, whatever tokenizer and template it is given to. */
import { z } from "zod";
import { MessageRecord, Stage } from "../../nodes/session/record.ts";

export const SupervisedSession = z.object({
  /** Unique within a set. */
  id: z.string(),
  stage: Stage,
  messages: z.array(MessageRecord),
});
export type SupervisedSession = z.infer<typeof SupervisedSession>;
