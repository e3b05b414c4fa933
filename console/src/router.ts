import { createStore } from './browser-store.ts';

const HOME = '/console';

export const PATHS = {
  home: '',
  jobs: '/jobs',
  job: '/jobs/:id',
  batches: '/batches',
  batch: '/batches/:id',
  subscriptions: '/subscriptions',
  subscription: '/subscriptions/:id',
  account: '/account',
} as const;
type KnownPage = keyof typeof PATHS;

export interface Route {
  readonly page: KnownPage | 'nowhere';
  /** The ID of a job, batch or subscription; empty on other pages. */
  readonly id: string;
  readonly query: URLSearchParams;
}

function routeOf({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Route {
  const parts = pathname.slice(HOME.length).split('/').filter(Boolean);
  const path = parts.map((part, index) => (index === 1 ? '/:id' : `/${part}`)).join('');
  const page = (Object.keys(PATHS) as KnownPage[]).find((name) => PATHS[name] === path) ?? 'nowhere';
  return { page, id: parts[1] ?? '', query: new URLSearchParams(search) };
}

export const route = createStore<Route>(routeOf(location));

/** @param parameters the ID in the path, and the query parameters; empty ones are left out */
export function pathTo(page: KnownPage, parameters: Readonly<Record<string, string | undefined>> = {}): string {
  const { id = '', ...query } = parameters;
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const search = new URLSearchParams(given).toString();
  return HOME + PATHS[page].replace(':id', id) + (search === '' ? '' : `?${search}`);
}

/** @param isReplaced whether the new entry replaces the current one in the browser's history */
export function navigate(path: string, { isReplaced = false } = {}): void {
  if (isReplaced) history.replaceState(null, '', path);
  else history.pushState(null, '', path);
  route.set(routeOf(location));
}

export function followLinks(): void {
  addEventListener('popstate', () => route.set(routeOf(location)));
  document.addEventListener('click', (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = event.target instanceof Element ? event.target.closest('a') : null;
    if (link === null || link.target !== '' || link.hash !== '' || link.hasAttribute('download')) return;
    if (link.origin !== location.origin || !/^\/console(?:\/|$)/.test(link.pathname)) return;
    event.preventDefault();
    navigate(link.pathname + link.search);
    scrollTo(0, 0);
  });
}
