/** Phase I's state: a cursor over the chunks, the core, and the names of what is live. Its size does not grow with the stream. */
import { StateSchema } from "@langchain/langgraph";
import { z } from "zod";
import { SessionIdentity, SessionOutcome } from "../session/state.ts";

/** What phase I is given; Studio makes its form of it. */
export const MaintenanceInput = new StateSchema({
  chunks: z
    .array(z.string())
    .default(() => [])
    .describe("The stream, one text per chunk. Taken out of the state by the first node, so no checkpoint repeats it"),
  core: z.string().default("").describe("The core memory to start from; usually empty"),
  memoryRef: z.string().default("").describe("Names the live bank to start from; usually empty"),
  sourceRef: z.string().default("").describe("Names a live raw context, instead of chunks"),
  cursor: z.int().default(0).describe("0-based number of the next chunk to read"),
  identity: SessionIdentity.default(() => SessionIdentity.parse({})).describe("Where the sessions stand in their run"),
});

export const MaintenanceState = new StateSchema({
  ...MaintenanceInput.fields,
  total: z.int().default(0).describe("How many chunks there are; counted when the stream is opened"),
  parent: z.string().nullable().default(null).describe("Id of the last session: the next one starts from its memory"),
  session: SessionOutcome.nullable().default(null).describe("How the last session ended"),
});

export type Maintenance = typeof MaintenanceState.State;
export type MaintenanceUpdate = Partial<typeof MaintenanceState.Update>;
