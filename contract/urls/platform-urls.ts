/** The parts of a pasted URL that follow its host. */
export interface PlatformPage {
  /** The segments of the path. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/**
 * Parses a URL of the platform as people paste it: with or without scheme and `www.`, with duplicate slashes, with a query.
 *
 * @param hosts the hosts of the platform, with port where they have one
 * @returns undefined for a URL of another host
 */
export function platformPageOf(text: string, hosts: readonly string[]): PlatformPage | undefined {
  const withScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`;
  if (!URL.canParse(withScheme)) return undefined;
  const { protocol, host, pathname, searchParams, username, password } = new URL(withScheme);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return undefined;
  if (!hosts.map(withoutPrefix).includes(withoutPrefix(host))) return undefined;
  return { segments: pathname.split('/').filter(Boolean).map(decoded), query: searchParams };
}

/** @returns the path segments of {@link platformPageOf} */
export function platformSegmentsOf(text: string, hosts: readonly string[]): readonly string[] | undefined {
  return platformPageOf(text, hosts)?.segments;
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
