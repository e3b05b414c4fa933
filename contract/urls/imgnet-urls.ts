import { platformPageOf } from './platform-urls.ts';

/** A post or reel. Shortcodes are case-sensitive. */
export interface PostReference {
  readonly shortcode: string;
  readonly kind: 'post' | 'reel';
}

export const IMGNET_PLATFORM_URL = 'https://www.instagram.com';

/** The second one is the platform's short host. */
const HOST = /^(?:.+\.)?(?:instagram\.com|instagr\.am)$/;
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
  const segments = segmentsOf(trimmed, hosts);
  // Links of the app have `_u` before the name.
  const [name, tab, ...more] = segments[0] === '_u' && !isTab(segments[1]) ? segments.slice(1) : segments;
  return name === undefined || more.length > 0 || !isTab(tab) ? undefined : accountOf(name.replace(/^@/, ''));
}

/** @param text `/p/CODE/`, `/reel/CODE/` or `/reels/CODE/`, optionally after `/NAME`, or a page below, such as `/embed` */
export function postReferenceOf(text: string, hosts: readonly string[] = []): PostReference | undefined {
  const segments = segmentsOf(text, hosts);
  // The name of the owner, or `user` for any, may precede the path of a post. No account has the name of such a path.
  const [first = ''] = segments;
  const [type = '', shortcode = ''] = accountOf(first) === undefined && first !== 'user' ? segments : segments.slice(1);
  const kind = Object.hasOwn(POST_KINDS, type.toLowerCase()) ? POST_KINDS[type.toLowerCase()] : undefined;
  if (kind === undefined || !SHORTCODE.test(shortcode)) return undefined;
  // /reels/audio/ is a page about music.
  return type.toLowerCase() === 'reels' && shortcode === 'audio' ? undefined : { shortcode, kind };
}

/** @returns why a link of the platform that looks like a post is none; undefined for any other text */
export function noPostReason(text: string, hosts: readonly string[] = []): string | undefined {
  const [first = '', second] = segmentsOf(text, hosts);
  if (second === undefined) return undefined;
  if (first === 'share') {
    return 'A share link does not contain the code of its post: open it, and copy the URL with /p/CODE/ or /reel/CODE/.';
  }
  return ['stories', 's'].includes(first) ? 'A story or highlight is not a post, and cannot be fetched.' : undefined;
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

function isTab(segment: string | undefined): boolean {
  return segment === undefined || TABS.has(segment.toLowerCase());
}

function segmentsOf(text: string, hosts: readonly string[]): readonly string[] {
  return platformPageOf(text, { host: HOST, hosts })?.segments ?? [];
}
