/** A page of a platform, as a URL names it. */
interface PlatformPage {
  readonly host: string;
  /** Decoded, without spaces and punctuation at their ends. */
  readonly segments: readonly string[];
  readonly query: URLSearchParams;
}

interface PlatformHosts {
  readonly host: RegExp;
  /** Further hosts, with port. */
  readonly hosts: readonly string[];
}

/** Hosts that lead to the page in a parameter: consent, login, translation, and links out of a platform or a mail. */
const WRAPPING_HOSTS = new RegExp(
  String.raw`^(?:(?:consent|accounts|www|translate)\.google\.(?:com|(?:com?\.)?[a-z]{2})|slack-redir\.net|` +
    String.raw`(?:consent\.youtube|l\.instagram|lm?\.facebook|out\.reddit|(?:www\.)?linkedin|t\.umblr|steamcommunity|` +
    String.raw`duckduckgo|vk|[a-z\d]+\.safelinks\.protection\.outlook)\.com)$`,
);
const WRAPPING_PAGES = [
  ...['attribution_link', 'redirect', 'oembed', 'api', 'signin', 'login', 'logout', 'accounts', 'challenge'],
  ...['verify_age', 'supported_browsers', 'das_captcha'],
];
/** The page after a login may be one that leads to another. */
const MAX_LINKS = 3;
const WRAPPED = ['continue', 'next', 'next_url', 'u', 'url', 'to', 'uddg', 'z', 'q'];

/** HTML and forms may have encoded what follows a path. A second `?` or a backslash of JSON also ends it. */
const PATH_END = /[&;]|%26|%3f|%5c/i;
const NAME_CHARACTER = String.raw`\p{L}\p{M}\p{N}_-`;
/** Spaces and punctuation after the last character of a name or ID. */
const TAIL = new RegExp(`(?<=[${NAME_CHARACTER}])[^${NAME_CHARACTER}]+$`, 'u');

/**
 * Reads what people paste: with or without scheme, with duplicate slashes, encoded for HTML or a form, or within a link of consent.
 *
 * @param links the number of links within links that are followed
 */
export function platformPageOf(text: string, platform: PlatformHosts, links = MAX_LINKS): PlatformPage | undefined {
  const plain = /^\s*https?%(?:25)*3a/i.test(text) ? decoded(text.replace(/%(?:25)+/g, '%')) : text;
  // A shell escapes the query with backslashes. A scheme before the pasted link remains from an earlier text.
  const clean = plain
    .replace(/\p{Cf}|(?<=&)(?:amp;)+|\\(?=[?&=])/gu, '')
    .replace(/^[\s<"'(]+|(?<![\s>"'])[\s>"']+$|^\s*https?:\/\/(?=https?:)/gi, '');
  const url = URL.parse(
    /^https?:|^[a-z][a-z\d+.-]*:\/\//i.test(clean) ? clean : `https://${clean.replace(/^\/\//, '')}`,
  );
  if (url === null || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined;
  const host = url.host.replace(/\.$/, '');
  const isOwn = platform.host.test(host) || platform.hosts.some((one) => withoutPrefix(one) === withoutPrefix(host));
  const [path = '', ...rest] = url.pathname.split(PATH_END);
  const segments = path
    .split('/')
    .map((part) => withoutTail(decoded(part)))
    .filter(Boolean);
  const [inner] = WRAPPED.flatMap((name) => url.searchParams.get(name) ?? []);
  const isWrapping = WRAPPING_HOSTS.test(host) || (isOwn && WRAPPING_PAGES.includes(segments[0] ?? ''));
  if (inner !== undefined && isWrapping) {
    const whole = URL.parse(inner, url.href)?.href;
    return whole === undefined || links === 0 ? undefined : platformPageOf(whole, platform, links - 1);
  }
  if (!isOwn) return undefined;
  const parts = [
    ...rest.map(decoded),
    url.search.replace(/%3d/gi, '=').replace(/%(?:25)*26/g, '&'),
    url.hash.replace(/^#!?/, ''),
  ];
  return { host, segments, query: new URLSearchParams(parts.join('&').replace(/[?\\;]/g, '&')) };
}

export function withoutTail(text: string): string {
  return text.trim().replace(TAIL, '');
}

function withoutPrefix(host: string): string {
  return host.toLowerCase().replace(/^(?:www|m)\./, '');
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
