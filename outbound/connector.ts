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
  /** Destroys the socket at any stage. */
  readonly signal: AbortSignal;
  /** Certificate authorities (PEM) trusted instead of the system's. */
  readonly trustedCa?: string;
  /** Called with the resolved addresses before a connection is made; an error that it throws prevents the connection. */
  readonly onAddresses?: ((addresses: readonly string[]) => void) | undefined;
}

// Node tries the next address after 250 ms by default; where the next family has no route,
// more distant receivers would never be reached.
const NEXT_ADDRESS_AFTER_MS = 2_000;

/**
 * Creates a connector that connects to permitted addresses only.
 *
 * It makes three checks, because each one alone has a gap: sockets do not resolve literal addresses, a URL check cannot see the
 * addresses of a name, and only the connected socket shows the address that was reached.
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
    // A resumed TLS session belongs to an earlier connection, and every connection must be verified.
    maxCachedSessions: 0,
    // This is explicit, because NODE_TLS_REJECT_UNAUTHORIZED=0 would change the default.
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
        // The receiver closed the connection already. This is a failed attempt and not a forbidden target: a retry may succeed.
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

/** Passes exactly the checked addresses to the socket, so that a second DNS response cannot differ from the first. */
function vettedLookup({ lookup, allowedNetworks, onAddresses }: ConnectorOptions): LookupFunction {
  const addressesOf = async (hostname: string): Promise<{ address: string; family: 4 | 6 }[]> => {
    const addresses =
      hostname === LOCALHOST
        ? localhostAddresses(allowedNetworks)
        : await lookup(hostname).catch((error: unknown) => {
            throw new DnsError(hostname, { cause: error });
          });
    if (addresses.length === 0) throw new DnsError(hostname);
    // One private address rejects the name: mixed responses are typical of DNS rebinding, and legitimate receivers have none.
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
