/**
 * The `openai` policy: OpenAI itself and every server that speaks its chat completions (vLLM, SGLang, llama.cpp, Ollama …).
 *
 * `OPENAI_API_KEY`, `OPENAI_BASE_URL` and `OPENAI_MODEL` stand in for options that are not given. What is missing is said
 * before anything starts.
 */
import { UmaError } from "../base/errors.ts";
import { chatModelPolicy } from "./chat-model-policy.ts";
import { openaiChatModel } from "./openai-chat-model.ts";
import type { Policy } from "./policy.ts";
import type { OpenAIOptions } from "./policy-options.ts";
import { retryDefaults } from "./retry.ts";

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
