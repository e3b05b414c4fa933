import { siteSchema } from '../../contract/kinds/media.ts';
import { unknownCommand, UsageError } from '../../runtime/operator-command.ts';
import { closedByOperator, openedByOperator } from '../../pacing/breaker.ts';
import { changeBreaker, type BreakerStore } from '../../pacing/breaker-store.ts';
import { createBreakers } from '../../pacing/breakers.ts';
import { routesOfRoles, type Routes } from '../../pacing/routes.ts';
import { workerRoles } from '../../runtime/temporal/worker-roles.ts';

export const USAGE = `usage: npm run routes -- list
       npm run routes -- pause ROUTE [--minutes 60] [--reason "Why, for callers to read."]
       npm run routes -- resume ROUTE

ROUTE is a route that list shows, or a site such as site/example.com. While a route is paused, its jobs wait and show the reason
and the time; running activities continue. After the pause, one job tries first.
MONGODB_URI and TASK_QUEUE name the service. The default is the service that npm start runs in DATA_DIR.`;

const MAX_MINUTES = 7 * 24 * 60;
const MAX_REASON_CHARS = 200;

interface RouteCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: { readonly minutes?: string | undefined; readonly reason?: string | undefined };
}

/** @returns a function that opens and closes circuit breakers, and returns the text to print. It throws UsageError. */
export function createRouteCommands(store: BreakerStore, all: Routes) {
  const routes = routesOfRoles(all, workerRoles).map(({ route }) => route);
  // The commands only read these circuit breakers, and the errors of reads are thrown.
  const breakers = createBreakers({ store, routes: all, onError: () => undefined });
  return async ({ command, args: [route = ''], options }: RouteCommand): Promise<string> => {
    if (command === 'list') return (await Promise.all(routes.map(describe))).join('\n');
    if (command !== 'pause' && command !== 'resume') throw unknownCommand(command);
    const isSite = route.startsWith('site/') && siteSchema.safeParse(route.slice('site/'.length)).success;
    if (!isSite && !routes.includes(route)) throw new UsageError(`ROUTE: one of ${routes.join(', ')}, or site/HOST`);
    const nowMs = Date.now();
    if (command === 'resume') {
      await changeBreaker(store, route, (before) => before && closedByOperator(before, nowMs));
      return describe(route);
    }
    const { minutes = '60', reason = 'An operator has paused the use of this platform.' } = options;
    if (!/^\d{1,5}$/.test(minutes) || Number(minutes) < 1 || Number(minutes) > MAX_MINUTES)
      throw new UsageError(`--minutes: from 1 to ${MAX_MINUTES}`);
    if (reason.trim() === '' || reason.length > MAX_REASON_CHARS)
      throw new UsageError(`--reason: a sentence of at most ${MAX_REASON_CHARS} characters`);
    const spanMs = Number(minutes) * 60_000;
    await changeBreaker(store, route, () => openedByOperator(reason.trim(), { spanMs, nowMs }));
    return `${route} is paused until ${new Date(nowMs + spanMs).toISOString()}.`;
  };

  async function describe(route: string): Promise<string> {
    const found = await breakers.of(route).open();
    if (found === undefined) return `${route}  open`;
    const { open, waitMs } = found;
    const pause = open.state === 'half-open' ? 'one job tries' : `until ${new Date(Date.now() + waitMs).toISOString()}`;
    return `${route}  paused since ${new Date(open.sinceMs).toISOString()}, ${pause}: ${open.reason}`;
  }
}
