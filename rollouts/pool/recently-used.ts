/** A map that keeps what was used last. */

export interface RecentlyUsed<Key, Value> {
  /** Made by `make` when it is not there. */
  get(key: Key, make: () => Value): Value;
  put(key: Key, value: Value): void;
}

export function recentlyUsed<Key, Value>(capacity: number): RecentlyUsed<Key, Value> {
  const held = new Map<Key, Value>();
  const put = (key: Key, value: Value) => {
    held.delete(key);
    held.set(key, value);
    if (held.size > capacity) held.delete(held.keys().next().value!);
  };
  return {
    put,
    get(key, make) {
      const value = held.has(key) ? held.get(key)! : make();
      put(key, value);
      return value;
    },
  };
}
