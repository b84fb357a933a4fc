/** What the server wants of its clients, asked once. A server without the route has no wishes. */
import { z } from "zod";
import { askIfServed } from "./ask-json.ts";
import type { Limits } from "./limits.ts";
import type { Link } from "./link.ts";

const count = z.number().positive().nullish().catch(null);
const flag = z.boolean().nullish().catch(null);

const ServerFlags = z.looseObject({
  parallel_fwdbwd_chunks: flag,
  create_model_via_load_weights: flag,
  fwdbwd_max_chunk_len: count,
  fwdbwd_max_chunk_bytes_count: count,
  fwdbwd_dispatch_bytes_semaphore_size: count,
  sample_dispatch_bytes_semaphore_size: count,
  inflight_response_bytes_semaphore_size: count,
  sample_max_concurrent_requests: count,
});
export type ServerFlags = z.infer<typeof ServerFlags>;

export async function serverFlags(link: Link, sdkVersion: string): Promise<ServerFlags> {
  return (await askIfServed(link, "client/config", ServerFlags, { body: { sdk_version: sdkVersion } })) ?? {};
}

/** The smaller of what we allow and what the server asks for. */
export function limitsUnder(flags: ServerFlags, limits: Limits): Limits {
  const least = (own: number, theirs: number | null | undefined) => Math.min(own, theirs ?? own);
  return {
    ...limits,
    chunkDatums: least(limits.chunkDatums, flags.fwdbwd_max_chunk_len),
    chunkBytes: least(limits.chunkBytes, flags.fwdbwd_max_chunk_bytes_count),
    dispatchBytes: least(limits.dispatchBytes, flags.fwdbwd_dispatch_bytes_semaphore_size),
    sampleDispatchBytes: least(limits.sampleDispatchBytes, flags.sample_dispatch_bytes_semaphore_size),
    inflightBytes: least(limits.inflightBytes, flags.inflight_response_bytes_semaphore_size),
    samples: least(limits.samples, flags.sample_max_concurrent_requests),
  };
}
