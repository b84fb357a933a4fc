/** A tool call as the executor takes it, whatever form the provider gave it (native, `invalid_tool_calls`, hermes text). */
import { z } from "zod";

export const ParsedCall = z.object({
  /** Unique within the session; the observation answers to it. */
  id: z.string(),
  /** "" when not even a name could be read. */
  name: z.string(),
  /** The arguments as an object, or null when `error` says why there are none. */
  args: z.record(z.string(), z.unknown()).nullable(),
  /** Why the call could not be read, in words that help the policy to write it again. */
  error: z.string().nullable().default(null),
  /** True when the text had to be mended to be readable. */
  repaired: z.boolean().default(false),
});
export type ParsedCall = z.infer<typeof ParsedCall>;

/**
 * `valid` · `miss` the title is not there or taken · `repaired` valid after mending · `invalid` unreadable, unknown tool or
 * wrong arguments · `refused` right syntax but not in this phase, or over a limit.
 */
export const CallVerdict = z.enum(["valid", "miss", "repaired", "invalid", "refused"]);
export type CallVerdict = z.infer<typeof CallVerdict>;
