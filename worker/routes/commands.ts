import { UsageError } from '../../runtime/operator-command.ts';
import { SITE } from '../../runtime/pacing.ts';
import { openedByHand, pausedByHand, QUIET_ROUTE, type RouteState } from '../../runtime/pauses.ts';
import { NOBODY, pacingIdOf, type PacingStore } from '../../runtime/shares.ts';

export const USAGE = `usage: npm run routes -- list
       npm run routes -- pause ROUTE [--minutes 60] [--reason "Why, for callers to read."]
       npm run routes -- resume ROUTE

ROUTE is one that list shows, or a site such as site/example.com. While a route is paused, its jobs wait and are told the reason
and the time; what has begun goes on. When the time is over, one job tries first.
MONGODB_URI and TASK_QUEUE name the service; without the first, it is the one that npm start runs in DATA_DIR.`;

export interface RouteCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly options: Readonly<Record<string, unknown>>;
}

/** Longer than a job waits. */
const MAX_MINUTES = 7 * 24 * 60;
const MAX_REASON_CHARS = 200;
const DEFAULT_REASON = 'An operator has paused the use of this platform.';
/** Each worker changes what they share once a second. */
const MOST_TRIES = 50;

export interface RouteCommandsOptions {
  readonly store: PacingStore;
  readonly taskQueue: string;
  /** Those of the configuration. */
  readonly routes: readonly string[];
  readonly now: () => number;
}

/** Pauses and opens routes by hand, in what the workers share: each of them sees it within a second or two. */
export function createRouteCommands({ store, taskQueue, routes, now }: RouteCommandsOptions) {
  const idOf = (route: string): string => pacingIdOf(taskQueue, route.startsWith('site/') ? route : undefined);

  const known = (route: string | undefined): string => {
    const isSite = route?.startsWith('site/') === true && SITE.test(route.slice('site/'.length));
    if (route === undefined || !(isSite || routes.includes(route))) {
      throw new UsageError(`ROUTE: one of ${routes.join(', ')}, or site/HOST`);
    }
    return route;
  };

  const change = async (route: string, how: (before: RouteState) => RouteState): Promise<void> => {
    for (let tries = 0; tries < MOST_TRIES; tries += 1) {
      const { version, state } = (await store.read(idOf(route))) ?? { version: 0, state: NOBODY };
      const after = { ...state, routes: { ...state.routes, [route]: how(state.routes[route] ?? QUIET_ROUTE) } };
      if (await store.replace(idOf(route), version, after)) return;
    }
    throw new Error(`${route} was not changed: others change what the workers share all the time. Try again.`);
  };

  const tell = (route: string, state: RouteState | undefined): string => {
    const { pause } = state ?? {};
    return pause === undefined
      ? `${route}  open`
      : `${route}  paused since ${isoOf(pause.sinceMs)} until ${isoOf(pause.untilMs)}: ${pause.reason}`;
  };

  return {
    /** @returns what to print; throws UsageError */
    async run({ command, args, options }: RouteCommand): Promise<string> {
      switch (command) {
        case 'list': {
          const found = await store.read(pacingIdOf(taskQueue));
          const states = found?.state.routes ?? {};
          return [...new Set([...routes, ...Object.keys(states)])]
            .map((route) => tell(route, states[route]))
            .join('\n');
        }
        case 'pause': {
          const route = known(args[0]);
          const nowMs = now();
          const untilMs = nowMs + minutesOf(options['minutes']) * 60_000;
          const reason = reasonOf(options['reason']);
          await change(route, (before) => pausedByHand(before, { reason, untilMs, nowMs }));
          return `${route} is paused until ${isoOf(untilMs)}.`;
        }
        case 'resume': {
          const route = known(args[0]);
          await change(route, openedByHand);
          return `${route} is open; its jobs begin one after the other.`;
        }
        default:
          throw new UsageError(command === '' ? 'Which command?' : `There is no command ${JSON.stringify(command)}.`);
      }
    },
  };
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
  if (typeof text !== 'string' || text.trim() === '' || text.length > MAX_REASON_CHARS) {
    throw new UsageError(`--reason: a sentence of at most ${String(MAX_REASON_CHARS)} characters`);
  }
  return text.trim();
}
