import { isIP, type BlockList, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPermittedAddress } from './addresses.ts';
import { ClosedEarlyError, DnsError, ForbiddenTargetError } from './request-failures.ts';
import type { Lookup } from './lookup.ts';
import { LOCALHOST, localhostAddresses } from './check-target.ts';

export interface ConnectorOptions {
  /** Networks exempt from the ban on private addresses. */
  readonly allowedNetworks: BlockList;
  readonly lookup: Lookup;
  /** Limit of name resolution, TCP and TLS together, in milliseconds. */
  readonly connectTimeoutMs: number;
  /** Ends the socket at whatever stage it is. */
  readonly signal: AbortSignal;
  /** Certificate authorities (PEM) trusted instead of the usual ones. */
  readonly trustedCa?: string;
  /** Told where a connection may lead before one is made; what it throws is why there is none. */
  readonly onAddresses?: ((addresses: readonly string[]) => void) | undefined;
}

// Node gives up on an address after 250 ms and goes on to the next; where the next family has no route,
// receivers further away than that would never be reached.
const NEXT_ADDRESS_AFTER_MS = 2_000;

/**
 * Makes connections that end at permitted addresses only.
 *
 * Three checks, because each one alone has a hole: sockets never look up a literal address, a URL check cannot see what a
 * name resolves to, and only the connected socket says where it really went.
 */
export function createGuardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { allowedNetworks, connectTimeoutMs, signal, trustedCa } = options;
  const connect = buildConnector({
    lookup: vettedLookup(options),
    timeout: connectTimeoutMs,
    signal,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: NEXT_ADDRESS_AFTER_MS,
    keepAlive: false,
    allowH2: false,
    // A resumed TLS session belongs to an earlier connection; here every connection proves itself.
    maxCachedSessions: 0,
    // Said outright, since NODE_TLS_REJECT_UNAUTHORIZED=0 would change the default.
    rejectUnauthorized: true,
    ...(trustedCa === undefined ? {} : { ca: trustedCa }),
  });
  return (target, callback) => {
    if (isIP(target.hostname) !== 0) {
      if (!isPermittedAddress(target.hostname, allowedNetworks)) {
        callback(new ForbiddenTargetError(), null);
        return;
      }
      try {
        options.onAddresses?.([target.hostname]);
      } catch (error) {
        callback(error as Error, null);
        return;
      }
    }
    connect(target, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      const { remoteAddress } = socket;
      if (remoteAddress === undefined) {
        // The receiver has closed already. That is a failed attempt, not a forbidden target: a later one may succeed.
        socket.destroy();
        callback(new ClosedEarlyError(), null);
        return;
      }
      if (!isPermittedAddress(remoteAddress, allowedNetworks)) {
        socket.destroy();
        callback(new ForbiddenTargetError(), null);
        return;
      }
      callback(null, socket);
    });
  };
}

/** Hands the socket exactly the addresses that were judged, so that a second DNS answer can't differ from the first. */
function vettedLookup({ lookup, allowedNetworks, onAddresses }: ConnectorOptions): LookupFunction {
  const addressesOf = async (hostname: string): Promise<{ address: string; family: 4 | 6 }[]> => {
    const addresses =
      hostname === LOCALHOST
        ? localhostAddresses(allowedNetworks)
        : await lookup(hostname).catch((error: unknown) => {
            throw new DnsError(hostname, { cause: error });
          });
    if (addresses.length === 0) throw new DnsError(hostname);
    // One private answer condemns the name: a mixed answer is how rebinding starts, and no honest receiver has one.
    if (!addresses.every((address) => isPermittedAddress(address, allowedNetworks))) throw new ForbiddenTargetError();
    onAddresses?.(addresses);
    return addresses.map((address) => ({ address, family: isIP(address) === 4 ? 4 : 6 }));
  };
  return (hostname, options, callback) => {
    addressesOf(hostname).then(
      (found) => {
        const first = found[0];
        if (options.all === true || first === undefined) callback(null, found);
        else callback(null, first.address, first.family);
      },
      (error: unknown) => callback(error as Error, []),
    );
  };
}
