/** What lies where in the kernels' memory: places are given out first, then the memory is made as large as that. */
export interface MemoryPlan {
  /** The address of `bytes` bytes, a multiple of 64. */
  take(bytes: number): number;
  /** Bytes that were given out. */
  readonly bytes: number;
}

const ALIGNMENT = 64;

export function memoryPlan(): MemoryPlan {
  let bytes = 0;
  return {
    take(size) {
      const at = bytes;
      bytes += Math.ceil(size / ALIGNMENT) * ALIGNMENT;
      return at;
    },
    get bytes() {
      return bytes;
    },
  };
}
