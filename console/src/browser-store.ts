import { useSyncExternalStore } from 'preact/compat';

interface Store<Value> {
  readonly get: () => Value;
  readonly set: (next: Value) => void;
  /** @returns a function that ends the subscription */
  readonly subscribe: (listener: (value: Value) => void) => () => void;
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

export function useStore<Value>({ get, subscribe }: Store<Value>): Value {
  return useSyncExternalStore(subscribe, get);
}

/** Wraps the browser's storage. Where it is unavailable, as in some private windows, reads return nothing and writes are ignored. */
function keptIn(storage: () => Storage) {
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
