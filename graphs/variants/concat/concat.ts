/** Concat: the whole context in the prompt, cut from the left to the prompt budget (Table 1; UMA App. F). */
import { z } from "zod";
import { passageVariant } from "../passages.ts";
import { defineVariant } from "../variant.ts";

export const factory = defineVariant({
  name: "concat",
  params: z.strictObject({}),
  create: () =>
    passageVariant({
      name: "concat",
      paper: "Concat",
      description: "the end of the raw context, as much as the prompt budget holds",
      promptUse: "concat",
      // fitPrompt cuts the joined text from its left
      passages: async ({ source, position }) => ({
        context: source.chunks.slice(0, position + 1).join("\n\n"),
        given: [],
      }),
    }),
});
