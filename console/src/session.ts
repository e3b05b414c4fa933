import { createStore, inTab, onDevice } from './browser-store.ts';

const NAME = 'tapedeck.key';

export const apiKey = createStore<string | undefined>(inTab.read(NAME) ?? onDevice.read(NAME));

/** The reason why the key panel is open, such as a refused request; empty if the user opened it. */
export const keyWanted = createStore<string | undefined>(undefined);

/** @param isKept whether the key is stored beyond this tab */
export function takeKey(key: string, isKept: boolean): void {
  inTab.write(NAME, key);
  onDevice.write(NAME, isKept ? key : undefined);
  keyWanted.set(undefined);
  apiKey.set(key);
}

export function forgetKey(): void {
  inTab.write(NAME, undefined);
  onDevice.write(NAME, undefined);
  apiKey.set(undefined);
}

export function isKeyOnDevice(): boolean {
  return onDevice.read(NAME) !== undefined;
}
