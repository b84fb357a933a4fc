/**
 * LangChain's ChatOpenAI with what a session needs and it lacks: a token limit for each call, replies that are checked to
 * be replies, and no advice to upgrade packages when a model writes broken JSON.
 *
 * It retries nothing itself (`retry.ts` does) and stays with the chat completions API, which every compatible server has.
 */
import type { AIMessage, BaseMessage } from "@langchain/core/messages";
import { ChatOpenAI, ChatOpenAICompletions, type ChatOpenAIFields } from "@langchain/openai";
import { APIError, type OpenAI } from "openai";
import { globalDispatcher } from "./dispatcher.ts";
import { patientFetchOptions } from "./patient-fetch.ts";
import { postJson, type WholeAnswer } from "./post-json.ts";
import { UnusableReply } from "./provider-failure.ts";

export interface OpenAIChatModelOptions {
  readonly model: string;
  readonly baseURL: string;
  readonly apiKey: string;
  readonly temperature?: number;
  readonly topP?: number;
  /** For the client's own clock; the policy's time-out for an attempt is shorter. */
  readonly timeoutMs?: number;
  /** Further fields of the request body. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Some servers answer 400 to a seed. */
  readonly sendSeed: boolean;
}

export function openaiChatModel(options: OpenAIChatModelOptions): ChatOpenAI {
  const fields: ChatOpenAIFields = {
    model: options.model,
    apiKey: options.apiKey,
    configuration: { baseURL: options.baseURL, logLevel: "off", fetchOptions: patientFetchOptions() },
    useResponsesApi: false,
    maxRetries: 0,
    ...(options.temperature === undefined ? {} : { temperature: options.temperature }),
    ...(options.topP === undefined ? {} : { topP: options.topP }),
    ...(options.timeoutMs === undefined ? {} : { timeout: options.timeoutMs }),
    ...(options.extra ? { modelKwargs: { ...options.extra } } : {}),
  };
  return new ChatOpenAI({ ...fields, completions: new CheckedCompletions(fields, options.sendSeed) });
}

type Body = OpenAI.Chat.ChatCompletionCreateParams;
type Streamed = OpenAI.Chat.Completions.ChatCompletionChunk;

class CheckedCompletions extends ChatOpenAICompletions {
  private readonly sendSeed: boolean;
  private headers: Record<string, string> | null = null;
  private url: URL | null = null;

  constructor(fields: ChatOpenAIFields, sendSeed: boolean) {
    super(fields);
    this.sendSeed = sendSeed;
  }

  override invocationParams(options?: this["ParsedCallOptions"], extra?: { streaming?: boolean }) {
    const params = super.invocationParams(options, extra);
    if (!this.sendSeed) delete params.seed;
    const limit = (options as { maxTokens?: number } | undefined)?.maxTokens;
    if (limit === undefined) return params;
    // the parent has chosen the key that this model knows
    return "max_completion_tokens" in params
      ? { ...params, max_completion_tokens: limit }
      : { ...params, max_tokens: limit };
  }

  override async completionWithRetry(
    request: OpenAI.Chat.ChatCompletionCreateParamsStreaming,
    options?: OpenAI.RequestOptions,
  ): Promise<AsyncIterable<Streamed>>;
  override async completionWithRetry(
    request: OpenAI.Chat.ChatCompletionCreateParamsNonStreaming,
    options?: OpenAI.RequestOptions,
  ): Promise<OpenAI.Chat.Completions.ChatCompletion>;
  override async completionWithRetry(request: Body, options?: OpenAI.RequestOptions): Promise<never> {
    if (!request.stream) {
      const answer = await this.postDirectly(request, options?.signal);
      if (answer) return withChoices(bodyOf(answer)) as never;
    }
    const answer: unknown = await super.completionWithRetry(request as never, options);
    return (request.stream ? untilFinished(answer as AsyncIterable<Streamed>) : withChoices(answer)) as never;
  }

  /** Null when the client has to do it: where there is no dispatcher, and where a server sends us elsewhere. */
  private async postDirectly(body: Body, signal: AbortSignal | null | undefined): Promise<WholeAnswer | null> {
    const dispatcher = globalDispatcher();
    if (!dispatcher) return null;
    this.headers ??= this.headersOfClient();
    this.url ??= new URL(`${this.client.baseURL}/chat/completions`);
    const answer = await postJson(dispatcher, {
      ...{ url: this.url, headers: this.headers, body },
      signal: signal ?? undefined,
    });
    return answer.status >= 300 && answer.status < 400 ? null : answer;
  }

  private headersOfClient(): Record<string, string> {
    this._getClientOptions({}); // makes the client, which knows what the environment says
    const { apiKey, organization, project } = this.client;
    return {
      accept: "application/json",
      "content-type": "application/json",
      "user-agent": "umagraph",
      authorization: `Bearer ${apiKey}`,
      ...(organization && { "openai-organization": organization }),
      ...(project && { "openai-project": project }),
    };
  }

  /**
   * The parent warns of old packages when every call of a reply is broken, and fails at an entry that is no call; the raw
   * calls are kept under another name then.
   */
  protected override _convertCompletionsMessageToBaseMessage(
    message: OpenAI.ChatCompletionMessage,
    rawResponse: OpenAI.ChatCompletion,
  ): BaseMessage {
    const { tool_calls: given, ...rest } = message;
    if (!given) return super._convertCompletionsMessageToBaseMessage(rest, rawResponse);
    const raw: unknown[] = [given].flat();
    if (raw.length === 0 || (raw.every(isCall) && raw.some(isReadable)))
      return super._convertCompletionsMessageToBaseMessage(message, rawResponse);
    const converted = super._convertCompletionsMessageToBaseMessage(rest, rawResponse) as AIMessage;
    converted.additional_kwargs.raw_tool_calls = raw;
    return converted;
  }
}

interface WireCall {
  readonly function: { readonly arguments: string };
}

const isCall = (entry: unknown): entry is WireCall =>
  typeof (entry as { readonly function?: unknown } | null)?.function === "object" &&
  (entry as { readonly function: unknown }).function !== null;

function isReadable(call: WireCall): boolean {
  try {
    return JSON.parse(call.function.arguments) !== undefined;
  } catch {
    return false;
  }
}

/** Throws the client's own error for a status that says so, and SyntaxError for JSON that is none. */
function bodyOf({ status, headers, contentType, text }: WholeAnswer): unknown {
  if (status < 200 || status >= 300) throw APIError.generate(status, parsedOrNothing(text), text, headers());
  return /[/+]json\b/.test(contentType) ? JSON.parse(text) : text;
}

function parsedOrNothing(text: string): object | undefined {
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}

/** Proxies answer HTML, and some servers answer errors, with status 200. */
function withChoices(answer: unknown): unknown {
  const choices = (answer as { choices?: unknown } | null)?.choices;
  if (Array.isArray(choices) && choices.length > 0) return answer;
  const came = typeof answer === "string" ? answer : (JSON.stringify(answer) ?? "nothing");
  throw new UnusableReply(`expected a chat completion, got: ${came.slice(0, 200)}`);
}

/** A connection that closes early ends the stream without an error; only a finish reason says that it was complete. */
async function* untilFinished(stream: AsyncIterable<Streamed>): AsyncIterable<Streamed> {
  let finished = false;
  let came = "";
  for await (const chunk of stream) {
    const choice = chunk.choices?.[0];
    finished ||= Boolean(choice?.finish_reason);
    if (came.length < 200) came += choice?.delta?.content ?? "";
    yield withCallsOnly(chunk);
  }
  if (!finished) throw new UnusableReply(`the stream was cut off after: ${came.slice(0, 200) || "(nothing)"}`);
}

/** The parent fails at an entry that is no object: one without a name stands for it, which is read as a broken call. */
function withCallsOnly(chunk: Streamed): Streamed {
  const delta = chunk.choices?.[0]?.delta;
  const calls: unknown = delta?.tool_calls;
  if (!delta || !Array.isArray(calls) || calls.every((entry) => entry !== null && typeof entry === "object"))
    return chunk;
  const mended = calls.map((entry: unknown, index) =>
    entry !== null && typeof entry === "object" ? entry : { index, function: { arguments: JSON.stringify(entry) } },
  );
  const choice = { ...chunk.choices[0]!, delta: { ...delta, tool_calls: mended as typeof delta.tool_calls } };
  return { ...chunk, choices: [choice, ...chunk.choices.slice(1)] } as Streamed;
}
