import { UsageError } from '../runtime/operator-command.ts';
import { siteSchema } from '../contract/kinds/media.ts';
import { closedByOperator, openedByOperator, remainingMs, type Breaker } from './breaker.ts';
import type { BreakerStore } from './breaker-store.ts';

export const USAGE = `usage: npm run routes -- list
       npm run routes -- pause ROUTE [--minutes 60] [--reason "Why, for callers to read."]
       npm run routes -- resume ROUTE

ROUTE is one that list shows, or a site such as site/example.com. While a route is paused, its jobs wait and show the reason and
the time; running activities go on. When the time is over, one job tries first.
MONGODB_URI and TASK_QUEUE name the service; without the first, it is the one that npm start runs in DATA_DIR.`;

const MAX_MINUTES = 7 * 24 * 60;
const MAX_REASON_CHARS = 200;
const DEFAULT_REASON = 'An operator has paused the use of this platform.';

export interface RouteCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** @returns a function that opens and closes circuit breakers by hand. It returns what to print, and throws UsageError. */
export function createRouteCommands(store: BreakerStore, routes: readonly string[]) {
  return async ({ command, args: [route = ''], options }: RouteCommand): Promise<string> => {
    if (command === 'list') return (await Promise.all(routes.map(describe))).join('\n');
    if (command !== 'pause' && command !== 'resume')
      throw new UsageError(command === '' ? 'Which command?' : `There is no command ${JSON.stringify(command)}.`);
    const isSite = route.startsWith('site/') && siteSchema.safeParse(route.slice('site/'.length)).success;
    if (!isSite && !routes.includes(route)) throw new UsageError(`ROUTE: one of ${routes.join(', ')}, or site/HOST`);
    if (command === 'resume') {
      await change(route, (before) => before && closedByOperator(before, Date.now()));
      return `${route} is open; its jobs start at its rate.`;
    }
    const [reason, spanMs, nowMs] = [reasonOf(options['reason']), minutesOf(options['minutes']) * 60_000, Date.now()];
    await change(route, () => openedByOperator(reason, { spanMs, nowMs }));
    return `${route} is paused until ${isoOf(nowMs + spanMs)}.`;
  };

  async function change(route: string, how: (before: Breaker | undefined) => Breaker | undefined): Promise<void> {
    for (;;) {
      const found = await store.read(route);
      const after = how(found?.breaker);
      if (after === undefined || (await store.replace(route, found?.version, after))) return;
    }
  }

  async function describe(route: string): Promise<string> {
    const breaker = (await store.read(route))?.breaker;
    if (breaker === undefined || breaker.state === 'closed') return `${route}  open`;
    const until = isoOf(Date.now() + remainingMs(breaker, Date.now()));
    const pause = breaker.state === 'half-open' ? 'one job tries' : `until ${until}`;
    return `${route}  paused since ${isoOf(breaker.sinceMs)}, ${pause}: ${breaker.reason}`;
  }
}

function isoOf(ms: number): string {
  return new Date(ms).toISOString();
}

function minutesOf(text: unknown = '60'): number {
  const minutes = typeof text === 'string' && /^\d{1,5}$/.test(text) ? Number(text) : 0;
  if (minutes < 1 || minutes > MAX_MINUTES) throw new UsageError(`--minutes: from 1 to ${String(MAX_MINUTES)}`);
  return minutes;
}

function reasonOf(text: unknown = DEFAULT_REASON): string {
  if (typeof text !== 'string' || text.trim() === '' || text.length > MAX_REASON_CHARS)
    throw new UsageError(`--reason: a sentence of at most ${String(MAX_REASON_CHARS)} characters`);
  return text.trim();
}
