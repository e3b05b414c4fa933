import { createStore, onDevice } from './browser-store.ts';

const NAME = 'tapedeck.theme';
export type Theme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');
const chosen = onDevice.read(NAME);

/** What is shown: the choice of whoever looks, else what their system prefers. */
export const theme = createStore<Theme>(chosen === 'light' || chosen === 'dark' ? chosen : systemTheme());

function systemTheme(): Theme {
  return system.matches ? 'dark' : 'light';
}

export function applyTheme(): void {
  const show = (now: Theme): void => {
    document.documentElement.dataset['theme'] = now;
  };
  show(theme.get());
  theme.subscribe(show);
  system.addEventListener('change', () => {
    if (onDevice.read(NAME) === undefined) theme.set(systemTheme());
  });
}

export function switchTheme(): void {
  const next = theme.get() === 'dark' ? 'light' : 'dark';
  // Back to what the system prefers means to follow it again.
  onDevice.write(NAME, next === systemTheme() ? undefined : next);
  theme.set(next);
}
