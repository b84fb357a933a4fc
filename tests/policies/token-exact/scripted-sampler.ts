/** A token sampler that plays a script, in tokens that no encoder would choose, with log-probabilities of any size. */
import { rng } from "../../../base/rng.ts";
import type { ChatFormat } from "../../../policies/token-exact/chat-format.ts";
import type { SampledTokens, TokenRequest, TokenSampler } from "../../../policies/token-exact/token-sampler.ts";
import { tiny } from "./tiny-format.ts";

export interface Reply {
  readonly text: string;
  /** How the text is cut into tokens: as the encoder would, or character by character. */
  readonly spelled?: boolean;
  /** Without its end token although nothing cut it, as engines do that take it off. */
  readonly unclosed?: boolean;
}

export interface ScriptedSampler extends TokenSampler {
  readonly requests: TokenRequest[];
  readonly samples: SampledTokens[];
}

export interface ScriptedSamplerOptions {
  readonly format?: ChatFormat;
  readonly weights?: string | null;
  readonly maxContext?: number | null;
}

export function scriptedSampler(
  script: readonly (Reply | string)[] | ((request: TokenRequest, turn: number) => Reply | string),
  { format = tiny, weights = "w1", maxContext = null }: ScriptedSamplerOptions = {},
): ScriptedSampler {
  const requests: TokenRequest[] = [];
  const samples: SampledTokens[] = [];
  return {
    weights,
    maxContext,
    requests,
    samples,
    async sample(request) {
      const turn = requests.push(request) - 1;
      const step = typeof script === "function" ? script(request, turn) : script[turn];
      if (step === undefined) throw new Error(`the script has ${turn} replies, and one more was asked for`);
      const reply = typeof step === "string" ? { text: step } : step;
      const whole = [...idsOf(reply, format), ...(reply.unclosed ? [] : [format.endIds[0]!])];
      const cut = whole.length > request.maxTokens;
      const ids = Int32Array.from(whole.slice(0, request.maxTokens));
      const random = rng("scripted-sampler", request.seed, turn);
      const logprobs = Float32Array.from(ids, () => -(random.next() ** 4) * 20);
      const sampled = { ids, logprobs, stop: cut ? "length" : "stop", weights } as const;
      samples.push(sampled);
      return sampled;
    },
  };
}

/** The model's own tags are tokens, whatever lies between them is text. */
function idsOf({ text, spelled = false }: Reply, { tokenizer }: ChatFormat): number[] {
  return text.split(/(<\/?(?:tool_call|think)>)/).flatMap((piece, k) => {
    if (k % 2 === 1) return [tokenizer.specials.get(piece)!.id];
    const units = spelled ? [...piece] : [piece];
    return units.flatMap((unit) => [...tokenizer.encodeText(unit)]);
  });
}

export const call = (name: string, args: unknown) =>
  `<tool_call>\n${JSON.stringify({ name, arguments: args })}\n</tool_call>`;
