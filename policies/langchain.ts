/** The `langchain` policy: a chat model that the user exports from a file of their own, whatever its provider. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { messageOf, UmaError } from "../base/errors.ts";
import { chatModelPolicy } from "./chat-model-policy.ts";
import type { Policy } from "./policy.ts";
import type { LangchainOptions } from "./policy-options.ts";

/** The export is a chat model, or a function that makes one. The model's own retries should be off: requests are retried here. */
export async function langchainPolicy(options: LangchainOptions): Promise<Policy> {
  const [path = "", named] = options.module.split("#", 2);
  const name = options.export ?? named ?? "default";
  const model = await loadModel(resolve(path), name);
  const { format, toolChoice, timeoutMs, maxRetries, concurrency, streaming } = options;
  return chatModelPolicy(model, {
    name: `langchain:${modelName(model)}`,
    ...(format ? { format } : {}),
    ...(toolChoice ? { toolChoice } : {}),
    ...(concurrency === undefined ? {} : { concurrency }),
    ...(streaming === undefined ? {} : { streaming }),
    retry: {
      ...(timeoutMs === undefined ? {} : { timeoutMs }),
      ...(maxRetries === undefined ? {} : { maxRetries }),
    },
  });
}

async function loadModel(path: string, name: string): Promise<BaseChatModel> {
  if (!existsSync(path))
    throw new UmaError("config", `langchain policy: there is no file ${path}`, {
      fix: "give --module path/to/model.ts#export, relative to the current folder",
    });
  let exported: Record<string, unknown>;
  try {
    exported = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  } catch (cause) {
    throw new UmaError("config", `langchain policy: ${path} cannot be loaded: ${messageOf(cause)}`, { cause });
  }
  const value = exported[name];
  const model: unknown = typeof value === "function" && !isChatModel(value) ? await value() : value;
  if (isChatModel(model)) return model;
  throw new UmaError("config", `langchain policy: expected a LangChain chat model as export "${name}" of ${path}`, {
    fix: `its exports: ${Object.keys(exported).join(", ") || "none"}`,
  });
}

function isChatModel(value: unknown): value is BaseChatModel {
  const model = value as { invoke?: unknown; _llmType?: unknown } | null | undefined;
  return typeof model?.invoke === "function" && typeof model._llmType === "function";
}

function modelName(model: BaseChatModel): string {
  const named = model as { model?: unknown; modelName?: unknown };
  for (const name of [named.model, named.modelName]) if (typeof name === "string" && name !== "") return name;
  return model._llmType();
}
