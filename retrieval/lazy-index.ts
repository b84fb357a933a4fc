/**
 * An index that is built when it is first searched: once, however many callers wait for it, and again only for what was
 * added since. A failed build is reported to those who waited and tried again by the next caller.
 */

export interface Growing {
  readonly size: number;
  /** Appends all of the texts or, when it fails, none. */
  add(texts: readonly string[]): void | Promise<void>;
}

/** `texts` may only be appended to. The result gives the index once it holds at least the first `count` of them. */
export function lazyIndex<Index extends Growing>(
  create: () => Index,
  texts: readonly string[],
): (count: number) => Promise<Index> {
  let index: Index | undefined;
  let building: Promise<void> | undefined;
  const build = async () => {
    index ??= create();
    await index.add(texts.slice(index.size));
  };
  return async (count) => {
    while (index === undefined || index.size < count) {
      building ??= build().finally(() => {
        building = undefined;
      });
      await building;
    }
    return index;
  };
}
