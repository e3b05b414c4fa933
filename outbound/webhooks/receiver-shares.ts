import { addressGroup } from '../addresses.ts';

/** So many requests to a receiver are under way that the next has to wait. Nothing was sent. */
export class ReceiverBusyError extends Error {
  override readonly name = 'ReceiverBusyError';
  /** When its turn should come, in milliseconds from now. */
  readonly retryAfterMs: number;

  constructor(receiver: string, retryAfterMs: number) {
    super(`as many requests to ${receiver} are under way as it may have at once`);
    this.retryAfterMs = retryAfterMs;
  }
}

export type ReceiverShares = ReturnType<typeof createReceiverShares>;
/** The place of one request among those under way. */
export type ReceiverSlot = ReturnType<ReceiverShares['enter']>;

export interface ReceiverSharesOptions {
  /** Most requests under way in this process. */
  readonly maxAtOnce: number;
  /** A clock in milliseconds that never goes back. */
  readonly now?: () => number;
  readonly random?: () => number;
}

/**
 * The part of all slots that one receiver, or all receivers of one caller, may use. A receiver that hangs (10 s a request) leaves
 * the rest to others. A host has less than its address, because customers of a large hoster share addresses.
 */
const SHARES = { host: 0.1, socket: 0.3, caller: 0.5, address: 0.6 } as const;

/** What a request takes as long as nothing is known. */
const FIRST_GUESS_MS = 1_000;
/** Each refusal costs a task of Temporal. */
const MIN_WAIT_MS = 500;
/** A receiver that recovers is not kept waiting for longer. */
const MAX_WAIT_MS = 60_000;
/** How much the newest request counts in the average. */
const NEWEST = 0.2;

interface Load {
  /** When each request under way began. */
  readonly startsMs: Set<{ readonly atMs: number }>;
  averageMs: number | undefined;
  /** Until when the places are promised to those that were turned away. */
  promisedUntilMs: number;
}

/**
 * Limits the concurrent requests to one receiver (a host with its port, an address with a port, and an address, for IPv6 a network
 * of 64 bits) and for one caller. A refused request gets a retry delay, so that thousands can wait for a receiver that hangs
 * without frequent retries. Requests to other receivers get a slot meanwhile.
 */
export function createReceiverShares(options: ReceiverSharesOptions) {
  const { maxAtOnce, now = () => performance.now(), random = Math.random } = options;
  const loads = new Map<string, Load>();
  const limitOf = (share: keyof typeof SHARES): number => Math.max(1, Math.floor(maxAtOnce * SHARES[share]));

  const claim = (key: string, limit: number): (() => void) => {
    const load = loads.get(key) ?? { startsMs: new Set(), averageMs: undefined, promisedUntilMs: 0 };
    loads.set(key, load);
    const nowMs = now();
    if (load.startsMs.size >= limit) {
      load.promisedUntilMs = Math.max(load.promisedUntilMs, nowMs) + expectedMs(load, nowMs) / limit;
      const waitMs = load.promisedUntilMs - nowMs;
      // Beyond the longest wait the turns are not in order any more, only spread.
      const boundedMs = waitMs > MAX_WAIT_MS ? MAX_WAIT_MS * (0.5 + random() / 2) : Math.max(waitMs, MIN_WAIT_MS);
      throw new ReceiverBusyError(key, Math.round(boundedMs));
    }
    const start = { atMs: nowMs };
    load.startsMs.add(start);
    return () => {
      if (!load.startsMs.delete(start)) return;
      const tookMs = now() - start.atMs;
      load.averageMs = load.averageMs === undefined ? tookMs : load.averageMs + NEWEST * (tookMs - load.averageMs);
    };
  };
  const forgetIdle = (): void => {
    const nowMs = now();
    for (const [key, { startsMs, promisedUntilMs }] of loads) {
      if (startsMs.size === 0 && promisedUntilMs <= nowMs) loads.delete(key);
    }
  };

  return {
    /**
     * @param caller the ID of the API key that subscribed the webhook; undefined where callers cannot be told apart
     * @throws ReceiverBusyError
     */
    enter(url: string, caller?: string) {
      const { hostname, port } = placeOf(url);
      forgetIdle();
      const claims = [claim(`${hostname}:${port}`, limitOf('host'))];
      const leave = (): void => {
        for (const end of claims.splice(0)) end();
      };
      if (caller !== undefined) {
        try {
          claims.push(claim(`caller ${caller}`, limitOf('caller')));
        } catch (error) {
          leave();
          throw error;
        }
      }
      return {
        leave,
        /** Counts where the name leads: many names may stand for one machine. @throws ReceiverBusyError */
        addAddresses(addresses: readonly string[]): void {
          const networks = new Set(addresses.map(addressGroup));
          for (const network of networks) {
            // One by one: the first place must be known to `leave` when there is no second.
            claims.push(claim(`${network} port ${port}`, limitOf('socket')));
            claims.push(claim(network, limitOf('address')));
          }
        },
      };
    },
  };
}

/** What has not ended counts as well: a receiver that hangs shows it before the first request has timed out. */
function expectedMs({ startsMs, averageMs }: Load, nowMs: number): number {
  const ages = [...startsMs].reduce((sum, { atMs }) => sum + nowMs - atMs, 0) / startsMs.size;
  return Math.max(averageMs ?? FIRST_GUESS_MS, ages);
}

function placeOf(url: string): { readonly hostname: string; readonly port: string } {
  // What is no URL is refused by the guard, which says why.
  if (!URL.canParse(url)) return { hostname: url, port: '' };
  const { hostname, port, protocol } = new URL(url);
  return { hostname: hostname.replace(/\.$/, ''), port: port || (protocol === 'https:' ? '443' : '80') };
}
