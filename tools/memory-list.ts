/** memory_list([filter]): the titles in the bank, oldest first, or those that contain the filter (App. A.1, A.2). */
import { z } from "zod";
import { listTitles } from "../memory/bank.ts";
import { defineTool } from "./tool.ts";

/** Far more titles than any session budget holds; keeps one listing of a huge bank cheap. */
const MOST_TITLES = 5_000;

export const memoryList = defineTool({
  name: "memory_list",
  description: "List the titles of the entries. Give a filter to see only titles that contain it.",
  schema: z.object({
    filter: z.string().describe("Only titles that contain this text, e.g. 'Transportation' or '2024-04'").optional(),
  }),
  phases: ["memory", "qa"],
  kind: "read",
  run(world, { filter }) {
    const { titles, total } = listTitles(world.bank, { limit: MOST_TITLES, ...(filter ? { filter } : {}) });
    const beyond = total - titles.length;
    return {
      verdict: "valid",
      observation: {
        items: titles,
        render: (shown, omitted) =>
          omitted + beyond === 0
            ? JSON.stringify({ titles: shown, total })
            : JSON.stringify({
                titles: shown,
                total,
                left_out: omitted + beyond,
                hint: "narrow the filter to see the rest",
              }),
      },
      world,
      writes: [],
      // a title is not the content: listing reads no entry
      reads: [],
    };
  },
});
