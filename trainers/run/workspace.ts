/** What a step has read or made and the next one needs again: kept for as long as its update is under way. A new process makes it again. */

export interface Workspace {
  /** Made once per update and name. */
  get<Value>(update: number, name: string, make: () => Value): Value;
  /** Forgets all updates up to this one. */
  forget(update: number): void;
}

export function createWorkspace(): Workspace {
  const held = new Map<number, Map<string, unknown>>();
  return {
    get<Value>(update: number, name: string, make: () => Value): Value {
      const own = held.get(update) ?? new Map<string, unknown>();
      held.set(update, own);
      if (!own.has(name)) own.set(name, make());
      return own.get(name) as Value;
    },
    forget(update) {
      for (const known of held.keys()) if (known <= update) held.delete(known);
    },
  };
}
