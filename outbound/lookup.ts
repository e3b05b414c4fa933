import { Resolver } from 'node:dns/promises';

/**
 * Finds every address of a host name.
 *
 * @returns IPv4 and IPv6 addresses, at least one
 * @throws when the name has none or nobody answers
 */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

// Per question; the connect timeout bounds the whole. A name server that never answers is its owner's problem, not ours.
const DNS_TIMEOUT_MS = 2_000;
const DNS_TRIES = 2;

/**
 * Asks name servers.
 *
 * Not `dns.lookup`: that blocks one of libuv's four threads per question, so a few names whose servers never answer would
 * hold up every other delivery and all file access. It also reads /etc/hosts and adds search domains, both of which lead inwards.
 *
 * @param servers addresses, with a port if it is not 53; default: those of the system
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
