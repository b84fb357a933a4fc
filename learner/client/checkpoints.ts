/** Checkpoints the server keeps. */
import { z } from "zod";
import { askJson } from "./ask-json.ts";
import type { Link } from "./link.ts";

const Listed = z.looseObject({
  checkpoints: z.array(
    z.looseObject({
      checkpoint_id: z.string(),
      checkpoint_type: z.string(),
      time: z.string(),
      tinker_path: z.string(),
      size_bytes: z.number().nullish(),
      expires_at: z.string().nullish(),
    }),
  ),
});

export interface Checkpoint {
  readonly id: string;
  /** `training`: weights and optimiser, to go on from · `sampler`: weights to sample from. */
  readonly kind: string;
  /** ISO 8601. */
  readonly time: string;
  readonly path: string;
  readonly bytes: number | null;
  readonly expires: string | null;
}

/** Of one model, or of all of this key's. */
export async function listCheckpoints(link: Link, modelId: string | null): Promise<Checkpoint[]> {
  const route = modelId === null ? "checkpoints" : `training_runs/${encodeURIComponent(modelId)}/checkpoints`;
  const { checkpoints } = await askJson(link, route, Listed);
  return checkpoints.map((checkpoint) => ({
    id: checkpoint.checkpoint_id,
    kind: checkpoint.checkpoint_type,
    time: checkpoint.time,
    path: checkpoint.tinker_path,
    bytes: checkpoint.size_bytes ?? null,
    expires: checkpoint.expires_at ?? null,
  }));
}
