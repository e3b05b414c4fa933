import { createStore } from './browser-store.ts';

const HOME = '/console';

export type Route =
  | { readonly page: 'home'; readonly query: URLSearchParams }
  | { readonly page: 'jobs'; readonly query: URLSearchParams }
  | { readonly page: 'job'; readonly id: string; readonly query: URLSearchParams }
  | { readonly page: 'batches' }
  | { readonly page: 'batch'; readonly id: string; readonly query: URLSearchParams }
  | { readonly page: 'subscriptions'; readonly query: URLSearchParams }
  | { readonly page: 'subscription'; readonly id: string }
  | { readonly page: 'account' }
  | { readonly page: 'nowhere' };

export function routeOf({ pathname, search }: Pick<Location, 'pathname' | 'search'>): Route {
  const [first, second, ...more] = pathname.slice(HOME.length).split('/').filter(Boolean);
  const query = new URLSearchParams(search);
  if (first === undefined) return { page: 'home', query };
  if (first === 'jobs' && second === undefined) return { page: 'jobs', query };
  if (first === 'jobs' && second !== undefined && more.length === 0) return { page: 'job', id: second, query };
  if (first === 'batches' && second === undefined) return { page: 'batches' };
  if (first === 'batches' && second !== undefined && more.length === 0) return { page: 'batch', id: second, query };
  if (first === 'subscriptions' && second === undefined) return { page: 'subscriptions', query };
  if (first === 'subscriptions' && second !== undefined && more.length === 0)
    return { page: 'subscription', id: second };
  if (first === 'account' && second === undefined) return { page: 'account' };
  return { page: 'nowhere' };
}

export const route = createStore<Route>(routeOf(location));

/** A list, or one of its entries. */
type Target =
  | 'home'
  | 'jobs'
  | 'batches'
  | 'subscriptions'
  | 'account'
  | { readonly job: string }
  | { readonly batch: string }
  | { readonly subscription: string };

/** @param query the query parameters; empty ones are left out */
export function pathTo(page: Target, query: Readonly<Record<string, string | undefined>> = {}): string {
  const path = typeof page === 'object' ? pathOf(page) : page === 'home' ? '' : `/${page}`;
  const given = Object.entries(query).flatMap(([name, value]) => (value ? [[name, value]] : []));
  const search = new URLSearchParams(given).toString();
  return HOME + path + (search === '' ? '' : `?${search}`);
}

function pathOf(page: Exclude<Target, string>): string {
  if ('job' in page) return `/jobs/${page.job}`;
  return 'batch' in page ? `/batches/${page.batch}` : `/subscriptions/${page.subscription}`;
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
