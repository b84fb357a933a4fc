/** RMSNorm of one row of `count` numbers in `f`, times a factor; `from` and `to` may be the same. */
export function rmsNorm(
  f: Float32Array,
  from: number,
  to: number,
  count: number,
  {
    weight,
    epsilon,
    factor = 1,
  }: { readonly weight: Float32Array; readonly epsilon: number; readonly factor?: number },
): void {
  let squares = 0;
  for (let i = 0; i < count; i++) squares += f[from + i]! * f[from + i]!;
  const inverse = factor / Math.sqrt(squares / count + epsilon);
  for (let i = 0; i < count; i++) f[to + i] = f[from + i]! * inverse * weight[i]!;
}
