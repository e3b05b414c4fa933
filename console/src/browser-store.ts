import { useEffect, useState } from 'preact/hooks';

export interface Store<Value> {
  get(): Value;
  set(next: Value): void;
  /** @returns a function that ends the subscription */
  subscribe(listener: (value: Value) => void): () => void;
}

export function createStore<Value>(first: Value): Store<Value> {
  const listeners = new Set<(value: Value) => void>();
  let value = first;
  return {
    get: () => value,
    set(next) {
      if (Object.is(next, value)) return;
      value = next;
      for (const listener of [...listeners]) listener(value);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

export function useStore<Value>(store: Store<Value>): Value {
  const [value, setValue] = useState(() => store.get());
  useEffect(() => {
    // The value may have changed between the first rendering and this effect.
    setValue(() => store.get());
    return store.subscribe((next) => setValue(() => next));
  }, [store]);
  return value;
}

/** Wraps the browser's storage. Where it is unavailable, as in some private windows, reads return nothing and writes are ignored. */
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
        // Storage is unavailable, so the value is not kept.
      }
    },
  };
}

export const onDevice = keptIn(() => localStorage);
export const inTab = keptIn(() => sessionStorage);
