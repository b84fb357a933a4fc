/** The learning rate of each step (of an update, in reinforcement), which in this protocol is the client's to decide: a linear rise, a plateau, a linear fall. */

export interface LearningRate {
  readonly peak: number;
  /** Steps of the rise. */
  readonly warmUp: number;
  /** The last so many steps fall evenly towards 0, never below a hundredth of the peak; 0: none. */
  readonly anneal: number;
}

/** `step` from 0, of `steps` in all; in units of `peak`. */
export function learningRateAt(step: number, steps: number, { peak, warmUp, anneal }: LearningRate): number {
  const rise = Math.min(1, (step + 1) / Math.max(1, warmUp));
  const fall = Math.min(1, Math.max(0.01, (steps - step) / Math.max(1, anneal)));
  return peak * Math.min(rise, fall);
}
