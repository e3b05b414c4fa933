import { createStore, onDevice, type Store } from '../browser-store.ts';
import type { Names } from './transcript-lines.ts';

const PREFIX = 'tapedeck.names.';
const LONGEST = 80;
const stores = new Map<string, Store<Names>>();

/** @returns the names of a record's speakers, which are stored in this browser */
export function namesOf(recordId: string): Store<Names> {
  const known = stores.get(recordId);
  if (known !== undefined) return known;
  const store = createStore<Names>(parsed(onDevice.read(PREFIX + recordId)));
  store.subscribe((names) => {
    onDevice.write(PREFIX + recordId, Object.keys(names).length === 0 ? undefined : JSON.stringify(names));
  });
  stores.set(recordId, store);
  return store;
}

/** @param name an empty name restores the label */
export function rename(store: Store<Names>, label: string, name: string): void {
  const { [label]: _before, ...others } = store.get();
  const given = name.replace(/\s+/g, ' ').trim().slice(0, LONGEST);
  store.set(given === '' || given === label ? others : { ...others, [label]: given });
}

/** Stored data with another format is ignored. */
function parsed(text: string | undefined): Names {
  try {
    const value: unknown = JSON.parse(text ?? '{}');
    if (typeof value !== 'object' || value === null) return {};
    return Object.fromEntries(
      Object.entries(value).filter((pair): pair is [string, string] => typeof pair[1] === 'string'),
    );
  } catch {
    return {};
  }
}
