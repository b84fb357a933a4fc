/** The protocol's losses of one token, and their derivatives by its log-probability. Sums are the caller's. */

export interface TokenInputs {
  readonly logprob: number;
  readonly old: number;
  readonly advantage: number;
  readonly weight: number;
  readonly reference: number;
  readonly klWeight: number;
}

export interface TokenLoss {
  readonly value: number;
  /** −∂value/∂logprob. */
  readonly coefficient: number;
}

export interface ClipConvention {
  readonly unit: "ratio" | "distance";
  readonly defaults: { readonly low: number; readonly high: number };
}

export function tokenLoss(
  lossFn: string,
  token: TokenInputs,
  config: Readonly<Record<string, number>>,
  clip: ClipConvention,
): TokenLoss | null {
  const { logprob, old, advantage: A, weight } = token;
  const ratio = Math.exp(logprob - old);
  const [low, high] = bounds(config, clip);
  const clipped = Math.min(Math.max(ratio, low), high);
  switch (lossFn) {
    case "cross_entropy":
      return { value: -weight * logprob, coefficient: weight };
    case "importance_sampling":
      return { value: -ratio * A, coefficient: ratio * A };
    case "ppo": {
      const active = ratio * A <= clipped * A;
      const kl = klTerm(token, ratio, config);
      return {
        value: -Math.min(ratio * A, clipped * A) + kl.value,
        coefficient: (active ? ratio * A : 0) + kl.coefficient,
      };
    }
    case "cispo":
      return { value: -clipped * logprob * A, coefficient: clipped * A };
    case "dro": {
      const beta = config.beta ?? 0.05;
      return {
        value: -(logprob * A - (beta / 2) * (logprob - old) ** 2),
        coefficient: A - beta * (logprob - old),
      };
    }
    default:
      return null;
  }
}

function bounds(config: Readonly<Record<string, number>>, { unit, defaults }: ClipConvention): [number, number] {
  const { clip_low_threshold: low, clip_high_threshold: high } = config;
  if (unit === "ratio") return [low ?? defaults.low, high ?? defaults.high];
  return [low === undefined ? defaults.low : 1 - low, high === undefined ? defaults.high : 1 + high];
}

function klTerm(
  { logprob, reference, klWeight }: TokenInputs,
  ratio: number,
  config: Readonly<Record<string, number>>,
): TokenLoss {
  const scale = (config.kl_beta ?? 0) * klWeight;
  if (scale === 0) return { value: 0, coefficient: 0 };
  const d = logprob - reference;
  const k3 = Math.exp(-d) + d - 1;
  const [value, slope] = [
    [0, 0],
    [d, 1],
    [(d * d) / 2, d],
    [k3, 1 - Math.exp(-d)],
    [ratio * k3, ratio * d],
  ][config.kl_kind ?? 0]!;
  return { value: scale * value!, coefficient: -scale * slope! };
}
