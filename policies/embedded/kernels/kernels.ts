/**
 * The three operations that a forward pass spends its time in, over one memory that weights, states and cache lie in.
 *
 * Both implementations compute in float32 and in the same order, so they give the same bits; and a row's numbers never
 * depend on what other rows are computed with it. Addresses and strides are in bytes, multiples of 16.
 */
export interface Kernels {
  readonly memory: ArrayBuffer;
  /** y = x · W for some rows of x. */
  product(p: Product): void;
  /** Rows of scores become weights that sum to one over what each row may look at, and 0 behind. */
  softmax(p: Softmax): void;
  /** SwiGLU: row [gate | up] → silu(gate) · up, in place of the gate. */
  gate(address: number, stride: number, width: number, rows: number): void;
}

/** Columns of W that lie together: a panel is [depth][PANEL]. */
export const PANEL = 16;
export const PANEL_ROW_BYTES = 4 * PANEL;

/**
 * Panel p of W is made of `segments` pieces of `depth` rows. Where they lie stands in a table of addresses:
 * piece s begins at offset + table[p · tableStep + s] + p · panelStep.
 */
export interface Product {
  readonly x: number;
  readonly xStride: number;
  readonly y: number;
  readonly yStride: number;
  readonly rows: number;
  readonly table: number;
  readonly tableStep: number;
  readonly offset: number;
  readonly panelStep: number;
  readonly panels: number;
  readonly segments: number;
  /** A multiple of 4. */
  readonly depth: number;
}

export interface Softmax {
  readonly address: number;
  readonly stride: number;
  readonly rows: number;
  /** Numbers that the first row may look at, at least 1, and how many more each next one may. */
  readonly length: number;
  readonly lengthStep: number;
  /** Numbers in a row, a multiple of 4. */
  readonly width: number;
}

/** Stands for −∞ before the exponential, which makes 0 of it. */
export const NOTHING = -3e38;

/**
 * e^x = 2^n · e^r with |r| ≤ ln 2 / 2 and a polynomial for e^r (Cephes, single precision): off by 2e-7 at most. Below
 * LOW the result is 0, above HIGH it is that of HIGH.
 */
export const EXP = {
  LOW: -87,
  HIGH: 88,
  LOG2E: Math.fround(Math.LOG2E),
  LN2_HIGH: Math.fround(0.693359375),
  LN2_LOW: Math.fround(-2.1219444e-4),
  POLYNOMIAL: [1.98756915e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 0.5].map(Math.fround),
} as const;
