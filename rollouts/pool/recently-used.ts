/** A map that keeps what was used last. */

export interface RecentlyUsed<Key, Value> {
  /** Made by `make` when it is not there. */
  get(key: Key, make: () => Value): Value;
  put(key: Key, value: Value): void;
  /** Without using it. */
  find(key: Key): Value | undefined;
  remove(key: Key): void;
}

/** `drop` is told what is not kept any more; somebody may still be using it. */
export function recentlyUsed<Key, Value>(
  capacity: number,
  drop: (value: Value) => void = () => {},
): RecentlyUsed<Key, Value> {
  const held = new Map<Key, Value>();
  const put = (key: Key, value: Value) => {
    held.delete(key);
    held.set(key, value);
    if (held.size <= capacity) return;
    const [oldest, unused] = held.entries().next().value!;
    held.delete(oldest);
    drop(unused);
  };
  return {
    put,
    find: (key) => held.get(key),
    remove: (key) => void held.delete(key),
    get(key, make) {
      const value = held.has(key) ? held.get(key)! : make();
      put(key, value);
      return value;
    },
  };
}
