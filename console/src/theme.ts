import { createStore, onDevice } from './browser-store.ts';

const NAME = 'tapedeck.theme';
export type Theme = 'light' | 'dark';

const system = matchMedia('(prefers-color-scheme: dark)');
const chosen = onDevice.read(NAME);

/** The current theme: the user's choice, else the system's preference. */
export const theme = createStore<Theme>(chosen === 'light' || chosen === 'dark' ? chosen : systemTheme());

function systemTheme(): Theme {
  return system.matches ? 'dark' : 'light';
}

/** Returns a colour of the stylesheet, `light-dark(#…, #…)`, in the current theme, for a canvas. */
export function colourOf(name: string): string {
  const value = getComputedStyle(document.documentElement).getPropertyValue(name);
  return value.match(/#\w+/g)?.at(theme.get() === 'dark' ? 1 : 0) ?? value;
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
  // If the choice equals the system's preference, the page follows the system again.
  onDevice.write(NAME, next === systemTheme() ? undefined : next);
  theme.set(next);
}
