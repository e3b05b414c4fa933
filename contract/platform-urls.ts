/**
 * The parts of the path of a platform's page, as people paste its address: with or without scheme and `www.`, with a slash
 * too many, with query.
 *
 * @param hosts the platform's, with port where it has one
 * @returns undefined for a URL that does not lead to the platform
 */
export function platformSegmentsOf(text: string, hosts: readonly string[]): string[] | undefined {
  const withScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`;
  if (!URL.canParse(withScheme)) return undefined;
  const { protocol, host, pathname, username, password } = new URL(withScheme);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return undefined;
  if (!hosts.map(withoutPrefix).includes(withoutPrefix(host))) return undefined;
  return pathname.split('/').filter(Boolean).map(decoded);
}

function withoutPrefix(host: string): string {
  return host.toLowerCase().replace(/^(?:www|m)\./, '');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
