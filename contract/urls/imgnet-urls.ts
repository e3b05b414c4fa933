import { platformPageOf } from './platform-urls.ts';

/** A post or reel. Shortcodes are case-sensitive. */
export interface PostReference {
  readonly shortcode: string;
  readonly kind: 'post' | 'reel';
}

export const IMGNET_PLATFORM_URL = 'https://www.instagram.com';

const REAL_HOSTS = ['instagram.com'];
/** Names are tested before conversion to lower case, which may convert letters of other scripts to ASCII. */
const ACCOUNT = /^(?!\.)(?!.+\.\.)[A-Za-z0-9._]{1,30}(?<!\.)$/;
export const SHORTCODE = /^[A-Za-z0-9_-]{1,64}$/;
const TABS = new Set(['reels', 'tagged']);
/** The first path segments of the platform's own pages. No account has such a name. */
export const OWN_PAGES: ReadonlySet<string> = new Set(
  (
    'about accounts api ar archive blog challenge data developer developers direct directory emails embed explore ' +
    'graphql guides help igtv invites legal lite locations nametag oauth p popular press privacy push qr reel reels ' +
    'session share shop stories support terms threads topics tv user web your_activity'
  ).split(' '),
);
const POST_KINDS: Readonly<Record<string, PostReference['kind']>> = {
  p: 'post',
  tv: 'post',
  reel: 'reel',
  reels: 'reel',
};

/** @param text the URL of a profile, `@name`, or a name without a dot, because `example.com` may also be a site */
export function profileReferenceOf(text: string, hosts: readonly string[] = []): string | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith('@')) return accountOf(trimmed.slice(1).replace(/\/$/, ''));
  if (!/[/.]/.test(trimmed)) return accountOf(trimmed);
  const [name, tab, ...more] = segmentsOf(trimmed, hosts);
  if (name === undefined || more.length > 0) return undefined;
  return tab === undefined || TABS.has(tab.toLowerCase()) ? accountOf(name.replace(/^@/, '')) : undefined;
}

/** @param text `/p/CODE/`, `/reel/CODE/` or `/reels/CODE/`, optionally after `/NAME` */
export function postReferenceOf(text: string, hosts: readonly string[] = []): PostReference | undefined {
  const segments = segmentsOf(text.trim(), hosts);
  // The name of the owner may precede the path of a post. No account has the name of such a path.
  const path = accountOf(segments[0] ?? '') === undefined ? segments : segments.slice(1);
  const [type = '', shortcode = '', ...more] = path;
  const kind = Object.hasOwn(POST_KINDS, type.toLowerCase()) ? POST_KINDS[type.toLowerCase()] : undefined;
  if (kind === undefined || more.length > 0 || !SHORTCODE.test(shortcode)) return undefined;
  // /reels/audio/ is a page about music.
  return type.toLowerCase() === 'reels' && shortcode === 'audio' ? undefined : { shortcode, kind };
}

/** The page of a profile. @param platformUrl without a trailing slash */
export function profileUrlOf(account: string, platformUrl: string = IMGNET_PLATFORM_URL): string {
  return `${platformUrl}/${account}/`;
}

/** The page of a post or reel. @param platformUrl without a trailing slash */
export function postUrlOf({ shortcode, kind }: PostReference, platformUrl: string = IMGNET_PLATFORM_URL): string {
  return `${platformUrl}/${kind === 'reel' ? 'reel' : 'p'}/${shortcode}/`;
}

/** @returns the name in lower case; undefined if no account can have it */
export function accountOf(name: string): string | undefined {
  const folded = name.toLowerCase();
  return ACCOUNT.test(name) && !OWN_PAGES.has(folded) ? folded : undefined;
}

function segmentsOf(text: string, hosts: readonly string[]): readonly string[] {
  return platformPageOf(text, [...REAL_HOSTS, ...hosts])?.segments ?? [];
}
