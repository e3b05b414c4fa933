import { useEffect, useState } from 'preact/hooks';

/** A value that parts of the page watch. */
export interface Store<Value> {
  get(): Value;
  set(next: Value): void;
  /** @returns a function that ends it */
  subscribe(told: (value: Value) => void): () => void;
}

export function createStore<Value>(first: Value): Store<Value> {
  const watchers = new Set<(value: Value) => void>();
  let value = first;
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const told of [...watchers]) told(value);
    },
    subscribe(told) {
      watchers.add(told);
      return () => watchers.delete(told);
    },
  };
}

export function useStore<Value>(store: Store<Value>): Value {
  const [value, setValue] = useState(() => store.get());
  useEffect(() => {
    // It may have changed between the first drawing and this moment.
    setValue(() => store.get());
    return store.subscribe((next) => setValue(() => next));
  }, [store]);
  return value;
}

/** What a browser keeps for this site. One that keeps nothing (a private window may refuse) has nothing and takes nothing. */
export function keptIn(storage: () => Storage) {
  return {
    read(name: string): string | undefined {
      try {
        return storage().getItem(name) ?? undefined;
      } catch {
        return undefined;
      }
    },
    write(name: string, text: string | undefined): void {
      try {
        if (text === undefined) storage().removeItem(name);
        else storage().setItem(name, text);
      } catch {
        // As if it had been forgotten.
      }
    },
  };
}

export const onDevice = keptIn(() => localStorage);
export const inTab = keptIn(() => sessionStorage);
