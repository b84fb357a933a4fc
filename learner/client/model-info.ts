/** What the server says about a model. */
import { z } from "zod";
import { askIfServed } from "./ask-json.ts";
import type { Link } from "./link.ts";

const Info = z.looseObject({
  model_id: z.string(),
  model_data: z
    .looseObject({ arch: z.string().nullish(), model_name: z.string().nullish(), tokenizer_id: z.string().nullish() })
    .nullish(),
  is_lora: z.boolean().nullish(),
  lora_rank: z.number().nullish(),
  model_name: z.string().nullish(),
});

export interface ModelInfo {
  readonly modelId: string;
  readonly baseModel: string | null;
  readonly tokenizerId: string | null;
  /** Null for full fine-tuning, or where the server does not say. */
  readonly loraRank: number | null;
}

/** Nothing but the id where the server does not have the route. */
export async function modelInfo(link: Link, modelId: string): Promise<ModelInfo> {
  const info = await askIfServed(link, "get_info", Info, { body: { model_id: modelId, type: "get_info" } });
  return {
    modelId,
    baseModel: info?.model_data?.model_name ?? info?.model_name ?? null,
    tokenizerId: info?.model_data?.tokenizer_id ?? null,
    loraRank: info?.lora_rank || null,
  };
}
