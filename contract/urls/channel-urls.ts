import { platformPageOf } from './platform-urls.ts';
import { VIDNET_HOST } from './vidnet-urls.ts';

export interface ChannelReference {
  readonly kind: keyof typeof PATH_PREFIXES;
  /** An ID, or a name in lower case; a handle has no `@`. */
  readonly name: string;
}

const PATH_PREFIXES = { handle: '@', id: 'channel/', custom: 'c/', user: 'user/' } as const;
const KINDS = new Map(Object.entries({ channel: 'id', browse: 'id', c: 'custom', user: 'user' } as const));

const CHANNEL_ID = /^UC[\w-]{22}$/;
const HANDLE = /^[\p{L}\p{M}\p{N}._·-]{3,60}$/u;
const NAME = /^[\p{L}\p{M}\p{N}._-]{1,100}$/u;
/** The last path segments of the tabs of a channel's page. */
export const CHANNEL_TABS = [
  ...['featured', 'home', 'videos', 'shorts', 'streams', 'live', 'playlists', 'podcasts', 'releases', 'courses'],
  ...['community', 'posts', 'store', 'search', 'channels', 'discussion', 'membership', 'join', 'about'],
];
export const VIDNET_PLATFORM_URL = 'https://www.youtube.com/';

/** @param text a URL with `/@handle`, `/channel/ID`, `/c/NAME` or `/user/NAME`, or a bare handle or ID */
export function channelReferenceOf(text: string, hosts: readonly string[] = []): ChannelReference | undefined {
  const trimmed = text.trim();
  if (!trimmed.includes('/')) return bareReference(trimmed);
  const page = platformPageOf(trimmed, { host: VIDNET_HOST, hosts });
  const [first = '', second = '', ...rest] = page?.segments ?? [];
  if (first.startsWith('@')) return isTab([second, ...rest]) ? handle(first.slice(1)) : undefined;
  if (!isTab(rest)) return undefined;
  const kind = KINDS.get(first.toLowerCase());
  if (kind === undefined || !(kind === 'id' ? CHANNEL_ID : NAME).test(second)) return undefined;
  return { kind, name: kind === 'id' ? second : folded(second) };
}

/** The path of the channel on the platform, which is also part of its subject ID. */
export function channelPathOf({ kind, name }: ChannelReference): string {
  return PATH_PREFIXES[kind] + name;
}

/** @param path the result of {@link channelPathOf} */
export function channelAt(path: string): ChannelReference | undefined {
  return channelReferenceOf(VIDNET_PLATFORM_URL + path);
}

function bareReference(text: string): ChannelReference | undefined {
  if (CHANNEL_ID.test(text)) return { kind: 'id', name: text };
  return handle(text.startsWith('@') ? text.slice(1) : text);
}

function handle(name: string): ChannelReference | undefined {
  return HANDLE.test(name) ? { kind: 'handle', name: folded(name) } : undefined;
}

/** The platform compares names without regard to case and Unicode normalization. */
function folded(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function isTab(segments: readonly string[]): boolean {
  const [tab = '', ...rest] = segments;
  return ['', ...CHANNEL_TABS].includes(tab.toLowerCase()) && rest.length === 0;
}
