import { isIP, type BlockList, type LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { isPermittedAddress } from './addresses.ts';
import { LOCALHOST, localhostAddresses } from './check-target.ts';
import { createDnsLookup, type Lookup } from './lookup.ts';
import { ForbiddenTargetError, NoAnswerError } from './request-failures.ts';

export interface GuardSettings {
  /** Networks exempt from the ban on private addresses and on ports. Empty in production. */
  readonly allowedNetworks: BlockList;
  /** The limit of DNS, TCP and TLS together, in milliseconds; its timer may fire up to a second late. */
  readonly connectTimeoutMs: number;
  /** Resolves host names. Default: DNS. */
  readonly lookup?: Lookup;
  /** Certificate authorities (PEM) trusted instead of the system's. */
  readonly trustedCa?: string;
}

interface ConnectorOptions extends GuardSettings {
  readonly signal: AbortSignal;
  /** Called with the resolved addresses before a connection is made; an error that it throws prevents the connection. */
  readonly onAddresses?: ((addresses: readonly string[]) => void) | undefined;
}

// Node tries the next address after 250 ms by default; where the next family has no route,
// more distant receivers would never be reached.
const NEXT_ADDRESS_AFTER_MS = 2_000;

const dnsLookup = createDnsLookup();

const noAddress = (hostname: string, cause?: unknown): Error =>
  new NoAnswerError('dns', `No address found for ${hostname}.`, { cause });

/**
 * Creates a connector that connects to permitted addresses only.
 *
 * It makes three checks, because each one alone has a gap: sockets do not resolve literal addresses, a URL check cannot see the
 * addresses of a name, and only the connected socket shows the address that was reached.
 */
export function createGuardedConnector(options: ConnectorOptions): buildConnector.connector {
  const { allowedNetworks, connectTimeoutMs, signal, trustedCa, lookup = dnsLookup } = options;

  const check = (addresses: readonly string[]): void => {
    // One private address rejects the name: mixed responses are typical of DNS rebinding, and legitimate receivers have none.
    if (!addresses.every((address) => isPermittedAddress(address, allowedNetworks))) throw new ForbiddenTargetError();
    options.onAddresses?.(addresses);
  };
  const addressesOf = async (hostname: string): Promise<readonly string[]> => {
    if (hostname === LOCALHOST) return localhostAddresses(allowedNetworks);
    return lookup(hostname).catch((error: unknown) => {
      throw noAddress(hostname, error);
    });
  };
  /** Passes exactly the checked addresses to the socket, so that a second DNS response cannot differ from the first. */
  const checkedLookup: LookupFunction = (hostname, _options, callback) => {
    addressesOf(hostname)
      .then((addresses) => {
        if (addresses.length === 0) throw noAddress(hostname);
        check(addresses);
        return addresses.map((address) => ({ address, family: isIP(address) }));
      })
      .then(
        (found) => callback(null, found),
        (error: unknown) => callback(error as Error, []),
      );
  };

  const connect = buildConnector({
    lookup: checkedLookup,
    timeout: connectTimeoutMs,
    signal,
    // Sockets then request all addresses of a name.
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
    try {
      if (isIP(target.hostname) !== 0) check([target.hostname]);
    } catch (error) {
      callback(error as Error, null);
      return;
    }
    connect(target, (...[error, socket]) => {
      if (error !== null) {
        callback(error, null);
        return;
      }
      const { remoteAddress } = socket;
      if (remoteAddress !== undefined && isPermittedAddress(remoteAddress, allowedNetworks)) {
        callback(null, socket);
        return;
      }
      socket.destroy();
      // Without an address, the receiver has closed the connection already, and a retry may succeed.
      callback(
        remoteAddress === undefined
          ? new NoAnswerError('reset', 'The connection was closed.')
          : new ForbiddenTargetError(),
        null,
      );
    });
  };
}
