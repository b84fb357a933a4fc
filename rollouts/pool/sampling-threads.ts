/** Threads that outlive a run: starting one costs a second of a core, and a training run has hundreds of rollouts. */

export interface SamplingThreads {
  readonly threads: number;
  close(): Promise<void>;
}
