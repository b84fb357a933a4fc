/**
 * A language model small enough to be exact: a table of logits, row = token before, column = token after, in float64.
 *
 * log p(b | a) = W[a][b] − log Σ_k e^{W[a][k]}, and its gradient by W[a] is onehot(b) − p(· | a). Adam as in the paper, decoupled
 * weight decay, bias corrected.
 */
import { rng } from "../../../base/rng.ts";

export interface AdamParams {
  readonly learning_rate: number;
  readonly beta1: number;
  readonly beta2: number;
  readonly eps: number;
  readonly weight_decay: number;
  readonly grad_clip_norm: number;
}

export interface BigramState {
  readonly logits: Float64Array;
  readonly m: Float64Array;
  readonly v: Float64Array;
  readonly step: number;
}

export interface BigramModel {
  readonly vocabulary: number;
  logprob(before: number, token: number): number;
  /** Adds `coefficient` · ∇ log p(token | before) to the gradient that is descended, with its sign turned. */
  accumulate(before: number, token: number, coefficient: number): void;
  clearGradient(): void;
  adam(params: AdamParams): { readonly gradNorm: number };
  state(): BigramState;
  load(state: BigramState, optimizer: boolean): void;
}

/** Starting weights: the same for the same vocabulary. */
export function baseState(vocabulary: number): BigramState {
  const random = rng("tinker-server", vocabulary);
  const size = vocabulary * vocabulary;
  const logits = Float64Array.from({ length: size }, () => 2 * random.next() - 1);
  return { logits, m: new Float64Array(size), v: new Float64Array(size), step: 0 };
}

export function createBigramModel(vocabulary: number, start: BigramState): BigramModel {
  const size = vocabulary * vocabulary;
  let logits = start.logits.slice();
  let m = start.m.slice();
  let v = start.v.slice();
  let step = start.step;
  const gradient = new Float64Array(size);

  const row = (before: number) => logits.subarray(before * vocabulary, (before + 1) * vocabulary);
  return {
    vocabulary,
    logprob: (before, token) => logSoftmax(row(before), 1)[token]!,
    accumulate(before, token, coefficient) {
      const logp = logSoftmax(row(before), 1);
      for (let k = 0; k < vocabulary; k++)
        gradient[before * vocabulary + k]! -= coefficient * ((k === token ? 1 : 0) - Math.exp(logp[k]!));
    },
    clearGradient: () => void gradient.fill(0),
    adam({ learning_rate, beta1, beta2, eps, weight_decay, grad_clip_norm }) {
      const gradNorm = Math.sqrt(gradient.reduce((sum, g) => sum + g * g, 0));
      const scale = grad_clip_norm > 0 && gradNorm > grad_clip_norm ? grad_clip_norm / gradNorm : 1;
      step += 1;
      for (let i = 0; i < size; i++) {
        const g = gradient[i]! * scale;
        m[i] = beta1 * m[i]! + (1 - beta1) * g;
        v[i] = beta2 * v[i]! + (1 - beta2) * g * g;
        const mean = m[i]! / (1 - beta1 ** step);
        const deviation = Math.sqrt(v[i]! / (1 - beta2 ** step));
        logits[i]! -= learning_rate * (mean / (deviation + eps) + weight_decay * logits[i]!);
      }
      gradient.fill(0);
      return { gradNorm };
    },
    state: () => ({ logits: logits.slice(), m: m.slice(), v: v.slice(), step }),
    load(state, optimizer) {
      logits = state.logits.slice();
      m = optimizer ? state.m.slice() : new Float64Array(size);
      v = optimizer ? state.v.slice() : new Float64Array(size);
      step = optimizer ? state.step : 0;
      gradient.fill(0);
    },
  };
}

export function logSoftmax(logits: Float64Array, temperature: number): Float64Array {
  const scaled = logits.map((x) => x / temperature);
  const most = Math.max(...scaled);
  const total = Math.log(scaled.reduce((sum, x) => sum + Math.exp(x - most), 0)) + most;
  return scaled.map((x) => x - total);
}
