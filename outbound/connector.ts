import { isIP, type BlockList, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';
import { isPermittedAddress } from './addresses.ts';
import { LOCALHOST, localhostAddresses } from './check-target.ts';
import { ForbiddenTargetError, NoAnswerError } from './request-failures.ts';
import { Resolver } from 'node:dns/promises';

/** @returns at least one address @throws if the name has no address or no name server responds */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

/** The limit of one query. A name server that never responds counts as a failure of the receiver. */
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/**
 * Creates a lookup that queries name servers.
 *
 * It does not use `dns.lookup`, which blocks one of libuv's four threads per query, so that a few names with silent servers would
 * delay all other deliveries and file access. `dns.lookup` also reads /etc/hosts and adds search domains, which lead to internal hosts.
 *
 * @param servers addresses, with the port if it is not 53; default: the system's servers
 */
export function createDnsLookup(servers?: readonly string[]): Lookup {
  const resolver = new Resolver({ timeout: DNS_TIMEOUT_MS, tries: DNS_TRIES });
  if (servers !== undefined) resolver.setServers(servers);
  return async (hostname) => {
    const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0)
      throw new AggregateError(
        answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as unknown] : [])),
        `no address of ${hostname}`,
      );
    return addresses;
  };
}

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

/** After Node's default of 250 ms, distant receivers would never be reached where the next family has no route. */
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

/** The longest interim response: the limit of the headers of a final one. */
const INTERIM_MAX_BYTES = 16 * 1024;
const STATUS = 'HTTP/1.1 100';
const HEADERS_END = '\r\n\r\n';

/**
 * Returns a connector for clients that send one request per connection. It makes the final status count where undici loses it:
 *
 * - Interim responses (1xx) are removed, because undici fails on those that it did not request.
 * - A write that fails stays pending, because the receiver may have answered before it closed. What has arrived is still read.
 */
export function patient(connect: buildConnector.connector): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...result) => {
      const [error, socket] = result;
      if (error === null) {
        keepFailedWrites(socket);
        removeInterim(socket);
      }
      callback(...result);
    });
}

function keepFailedWrites(socket: Socket): void {
  const [write, writev] = [socket._write.bind(socket), socket._writev?.bind(socket)];
  socket._write = (chunk, encoding, callback) => write(chunk, encoding, unlessFailed(callback));
  socket._writev = (chunks, callback) => writev?.(chunks, unlessFailed(callback));
}

function unlessFailed(callback: () => void): (error?: Error | null) => void {
  return (error) => {
    if (error === undefined || error === null) callback();
  };
}

function removeInterim(socket: Socket): void {
  const push = socket.push.bind(socket);
  let held: Buffer | undefined = Buffer.alloc(0);
  socket.push = (chunk: Buffer | null) => {
    if (held === undefined) return push(chunk);
    held = Buffer.concat([held, ...(chunk === null ? [] : [chunk])]);
    while (mayBeInterim(held) && held.includes(HEADERS_END))
      held = held.subarray(held.indexOf(HEADERS_END) + HEADERS_END.length);
    if (chunk !== null && mayBeInterim(held) && held.length < INTERIM_MAX_BYTES) return true;
    const rest = held;
    held = undefined;
    if (rest.length > 0) push(rest);
    return chunk !== null || push(null);
  };
}

/** Whether bytes are an interim response, or may become one. */
function mayBeInterim(bytes: Buffer): boolean {
  const start = bytes.toString('latin1', 0, STATUS.length);
  return /^HTTP\/1\.\d 1\d\d/.test(start + STATUS.slice(start.length));
}
