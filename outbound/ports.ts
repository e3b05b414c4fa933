import { INFRASTRUCTURE_PORTS } from '../contract/url-patterns.ts';

/**
 * Whether callers may name this port.
 *
 * @param port as `URL.port` gives it: empty for the scheme's own port
 */
export function isOpenPort(port: string): boolean {
  if (port === '') return true;
  const number = Number(port);
  return number === 80 || number === 443 || (number >= 1024 && !INFRASTRUCTURE_PORTS.has(number));
}
