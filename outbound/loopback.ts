import { isIPv4 } from 'node:net';

/** @param host a host name or address from a setting or `URL.hostname`; IPv6 with or without brackets */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  // All addresses in 127.0.0.0/8 belong to this machine.
  return name === 'localhost' || name === '::1' || name === '[::1]' || (isIPv4(name) && name.startsWith('127.'));
}
