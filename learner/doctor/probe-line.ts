/** One finding of the doctor. */
export interface ProbeLine {
  readonly probe: ProbeName;
  /** What was done. */
  readonly checked: string;
  /** What the server did. */
  readonly saw: string;
  /** What that means for training. */
  readonly meaning: string;
  readonly ok: boolean;
}

export const probeNames = [
  "wire",
  "losses",
  "log-probabilities",
  "steps",
  "reduction",
  "signed weights",
  "clip",
  "accumulation",
  "gradient clipping",
  "tensors",
  "publish",
  "idempotency",
  "order",
] as const;
export type ProbeName = (typeof probeNames)[number];
