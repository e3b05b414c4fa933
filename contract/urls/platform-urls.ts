/** @param text with or without scheme and `www.`, with duplicate slashes, with a query */
export function platformPageOf(
  text: string,
  hosts: readonly string[],
): { readonly segments: readonly string[]; readonly query: URLSearchParams } | undefined {
  const withScheme = /^[a-z][a-z\d+.-]*:\/\//i.test(text) ? text : `https://${text.replace(/^\/\//, '')}`;
  const url = URL.parse(withScheme);
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  if (!hosts.map(withoutPrefix).includes(withoutPrefix(url.host))) return undefined;
  return { segments: url.pathname.split('/').filter(Boolean).map(decoded), query: url.searchParams };
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
