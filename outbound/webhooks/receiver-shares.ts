import { addressGroup } from '../addresses.ts';

/** Thrown when the receiver has as many concurrent requests as permitted. Nothing was sent. */
export class ReceiverBusyError extends Error {
  override readonly name = 'ReceiverBusyError';
  readonly retryAfterMs: number;

  constructor(receiver: string, retryAfterMs: number) {
    super(`the limit of concurrent requests to ${receiver} is reached`);
    this.retryAfterMs = retryAfterMs;
  }
}

export type ReceiverShares = ReturnType<typeof createReceiverShares>;
export type ReceiverSlot = ReturnType<ReceiverShares['enter']>;

interface ReceiverSharesOptions {
  readonly maxAtOnce: number;
  /** A monotonic clock in milliseconds. */
  readonly now?: () => number;
  readonly random?: () => number;
}

/**
 * The share of all slots that one receiver, or all receivers of one caller, may use. A receiver that hangs (10 s per request) leaves
 * the rest to others. The share of a host is smaller than that of its address, because customers of a large hoster share addresses.
 */
const SHARES = { host: 0.1, socket: 0.3, caller: 0.5, address: 0.6 } as const;

const FIRST_GUESS_MS = 1_000;
/** The shortest retry delay, because each refusal costs a Temporal task. */
const MIN_WAIT_MS = 500;
/** The longest retry delay, so that a recovered receiver gets its webhooks soon. */
const MAX_WAIT_MS = 60_000;
const NEWEST = 0.2;

interface Load {
  readonly startsMs: Set<{ readonly atMs: number }>;
  averageMs: number | undefined;
  /** The time until which all slots are reserved for refused requests. */
  reservedUntilMs: number;
}

/**
 * Limits the concurrent requests to one receiver (a host with its port, an address with a port, and an address, for IPv6 a network
 * of 64 bits) and for one caller. Refused requests get retry delays, so that thousands can wait for a receiver that hangs.
 */
export function createReceiverShares(options: ReceiverSharesOptions) {
  const { maxAtOnce, now = () => performance.now(), random = Math.random } = options;
  const loads = new Map<string, Load>();
  const limitOf = (share: keyof typeof SHARES): number => Math.max(1, Math.floor(maxAtOnce * SHARES[share]));

  const claim = (key: string, limit: number): (() => void) => {
    const load = loads.get(key) ?? { startsMs: new Set(), averageMs: undefined, reservedUntilMs: 0 };
    loads.set(key, load);
    const nowMs = now();
    if (load.startsMs.size >= limit) {
      load.reservedUntilMs = Math.max(load.reservedUntilMs, nowMs) + expectedMs(load, nowMs) / limit;
      const waitMs = load.reservedUntilMs - nowMs;
      // Beyond the longest delay, retries are spread at random and no longer in order.
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
    for (const [key, { startsMs, reservedUntilMs }] of loads) {
      if (startsMs.size === 0 && reservedUntilMs <= nowMs) loads.delete(key);
    }
  };

  return {
    /**
     * @param caller the ID of the API key that subscribed the webhook; undefined for anonymous callers
     * @throws ReceiverBusyError
     */
    enter(url: string, caller?: string) {
      const { hostname, port } = endpointOf(url);
      forgetIdle();
      const claims: (() => void)[] = [];
      const leave = (): void => {
        for (const end of claims.splice(0)) end();
      };
      try {
        claims.push(claim(`${hostname}:${port}`, limitOf('host')));
        if (caller !== undefined) claims.push(claim(`caller ${caller}`, limitOf('caller')));
      } catch (error) {
        leave();
        throw error;
      }
      return {
        leave,
        /** Counts the resolved addresses, because many names may belong to one machine. @throws ReceiverBusyError */
        addAddresses(addresses: readonly string[]): void {
          const networks = new Set(addresses.map(addressGroup));
          for (const network of networks) {
            // Each slot is added separately, so that `leave` releases the first one if the second is refused.
            claims.push(claim(`${network} port ${port}`, limitOf('socket')));
            claims.push(claim(network, limitOf('address')));
          }
        },
      };
    },
  };
}

/** Includes unfinished requests, so that a receiver that hangs is noticed before its first timeout. */
function expectedMs({ startsMs, averageMs }: Load, nowMs: number): number {
  const ages = [...startsMs].reduce((sum, { atMs }) => sum + nowMs - atMs, 0) / startsMs.size;
  return Math.max(averageMs ?? FIRST_GUESS_MS, ages);
}

function endpointOf(url: string): { readonly hostname: string; readonly port: string } {
  // The guard refuses invalid URLs with a reason.
  if (!URL.canParse(url)) return { hostname: url, port: '' };
  const { hostname, port, protocol } = new URL(url);
  return { hostname: hostname.replace(/\.$/, ''), port: port || (protocol === 'https:' ? '443' : '80') };
}
