/** What the server says about a model. */
import { z } from "zod";
import { askJson } from "./ask-json.ts";
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

export async function modelInfo(link: Link, modelId: string): Promise<ModelInfo> {
  const info = await askJson(link, "get_info", Info, { body: { model_id: modelId, type: "get_info" } });
  return {
    modelId: info.model_id,
    baseModel: info.model_data?.model_name ?? info.model_name ?? null,
    tokenizerId: info.model_data?.tokenizer_id ?? null,
    loraRank: info.lora_rank || null,
  };
}
