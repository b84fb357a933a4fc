/** One global limit on sessions in flight, whatever context or question they belong to; first come, first served. */
export interface SessionSlots {
  run<T>(session: () => Promise<T>): Promise<T>;
}

export function sessionSlots(limit: number): SessionSlots {
  let free = limit;
  const waiting: (() => void)[] = [];
  return {
    async run(session) {
      if (free > 0) free--;
      else await new Promise<void>((resume) => waiting.push(resume));
      try {
        return await session();
      } finally {
        const next = waiting.shift();
        if (next) next();
        else free++;
      }
    },
  };
}
