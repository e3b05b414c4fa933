/** What a pasted address says, without its host. */
export interface PlatformPage {
  /** The parts of its path. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

/**
 * A platform's page, as people paste its address: with or without scheme and `www.`, with a slash too many, with query.
 *
 * @param hosts the platform's, with port where it has one
 * @returns undefined for a URL that does not lead to the platform
 */
export function platformPageOf(text: string, hosts: readonly string[]): PlatformPage | undefined {
  const withScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`;
  if (!URL.canParse(withScheme)) return undefined;
  const { protocol, host, pathname, searchParams, username, password } = new URL(withScheme);
  if (!/^https?:$/.test(protocol) || username !== '' || password !== '') return undefined;
  if (!hosts.map(withoutPrefix).includes(withoutPrefix(host))) return undefined;
  return { segments: pathname.split('/').filter(Boolean).map(decoded), query: searchParams };
}

/** The parts of the path of {@link platformPageOf}. */
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
