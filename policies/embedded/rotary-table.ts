/** Cosines and sines of the rotary positions, rounded to float32 where PyTorch's are. */
export interface RotaryTable {
  /** [positions, headWidth / 2] */
  readonly cos: Float32Array;
  readonly sin: Float32Array;
}

const { fround } = Math;

export function rotaryTable(positions: number, headWidth: number, base: number): RotaryTable {
  const half = headWidth / 2;
  const cos = new Float32Array(positions * half);
  const sin = new Float32Array(positions * half);
  for (let i = 0; i < half; i++) {
    const frequency = fround(1 / fround(base ** fround((2 * i) / headWidth)));
    for (let position = 0; position < positions; position++) {
      const angle = fround(position * frequency);
      cos[position * half + i] = Math.cos(angle);
      sin[position * half + i] = Math.sin(angle);
    }
  }
  return { cos, sin };
}
