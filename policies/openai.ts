/**
 * The `openai` policy: OpenAI itself and every server that speaks its chat completions (vLLM, SGLang, llama.cpp, Ollama …).
 *
 * `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL` stand in for options that are not given. What is missing is said
 * before anything starts.
 */
import { z } from "zod";
import { UmaError } from "../base/errors.ts";
import { chatModelPolicy } from "./chat-model-policy.ts";
import { openaiChatModel } from "./openai-chat-model.ts";
import type { Policy } from "./policy.ts";
import { retryDefaults } from "./retry.ts";

export const openaiOptions = z.strictObject({
  model: z.string().min(1).optional(),
  baseURL: z.url({ protocol: /^https?$/, error: "expected a URL such as http://localhost:8000/v1" }).optional(),
  apiKey: z.string().min(1).optional(),
  temperature: z.number().min(0).max(2).optional(),
  topP: z.number().gt(0).max(1).optional(),
  /** How tools are called: by the server's own tool calling, or as text. */
  format: z.enum(["native", "hermes"]).optional(),
  toolChoice: z.enum(["auto", "required"]).optional(),
  /** For one attempt. */
  timeoutMs: z.int().min(1).optional(),
  maxRetries: z.int().min(0).max(100).optional(),
  /** The longest wait before the first retry. */
  retryBaseMs: z.int().min(0).optional(),
  concurrency: z.int().min(1).optional(),
  streaming: z.boolean().optional(),
  sendSeed: z.boolean().optional(),
  /** Further fields of the request body, e.g. { "chat_template_kwargs": { "enable_thinking": false } }. */
  extra: z.record(z.string(), z.unknown()).optional(),
});
export type OpenAIOptions = z.infer<typeof openaiOptions>;

const OPENAI_URL = "https://api.openai.com/v1";

export function openaiPolicy(options: OpenAIOptions = {}, env: NodeJS.ProcessEnv = process.env): Policy {
  const model = options.model ?? (env.OPENAI_MODEL || undefined);
  if (model === undefined)
    throw new UmaError("config", "the openai policy needs the name of a model, got none", {
      fix: "give --model, or set OPENAI_MODEL",
    });
  const baseURL = (options.baseURL ?? (env.OPENAI_BASE_URL || OPENAI_URL)).replace(/\/+$/, "");
  const apiKey = options.apiKey ?? (env.OPENAI_API_KEY || undefined);
  if (apiKey === undefined && baseURL === OPENAI_URL)
    throw new UmaError("config", `the openai policy needs a key for ${OPENAI_URL}, got none`, {
      fix: "set OPENAI_API_KEY, or set OPENAI_BASE_URL to a server that needs none",
    });
  const timeoutMs = options.timeoutMs ?? retryDefaults.timeoutMs;
  const chatModel = openaiChatModel({
    model,
    baseURL,
    apiKey: apiKey ?? "none", // the client insists on one
    timeoutMs: timeoutMs + 5_000,
    sendSeed: options.sendSeed ?? true,
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.topP === undefined ? {} : { topP: options.topP }),
    ...(options.extra ? { extra: options.extra } : {}),
  });
  return chatModelPolicy(chatModel, {
    name: `openai:${model}`,
    format: options.format ?? "native",
    toolChoice: options.toolChoice ?? "auto",
    retry: {
      timeoutMs,
      ...(options.maxRetries === undefined ? {} : { maxRetries: options.maxRetries }),
      ...(options.retryBaseMs === undefined ? {} : { baseMs: options.retryBaseMs }),
    },
    streaming: options.streaming ?? false,
    ...(options.concurrency === undefined ? {} : { concurrency: options.concurrency }),
    endpoint: {
      url: baseURL,
      model,
      keyVariable: "OPENAI_API_KEY",
      urlVariable: "OPENAI_BASE_URL",
      modelVariable: "OPENAI_MODEL",
    },
  });
}
