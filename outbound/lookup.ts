import { Resolver } from 'node:dns/promises';

/** @returns at least one address @throws if the name has no address or no name server responds */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

// This limits one query; the connect timeout limits all of them. A name server that never responds counts as a failure of the receiver.
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
