import { createStore, inTab, onDevice } from './browser-store.ts';

const NAME = 'tapedeck.key';

/** The API key that requests are sent with; undefined without one. */
export const apiKey = createStore<string | undefined>(inTab.read(NAME) ?? onDevice.read(NAME));

/** Why a key is asked for, such as that the service has refused a request without one; empty when somebody wants to give one. */
export const keyWanted = createStore<string | undefined>(undefined);

/** @param isKept beyond this tab */
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
