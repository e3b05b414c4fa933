import { platformSegmentsOf } from './platform-urls.ts';

/** A reference to a channel. Names are in lower case; IDs are not changed. */
export type ChannelReference =
  | { readonly kind: 'handle'; /** Without `@`. */ readonly name: string }
  | { readonly kind: 'id' | 'custom' | 'user'; readonly name: string };

const CHANNEL_ID = /^UC[\w-]{22}$/;
/** Letters and digits of any script: the platform allows them in handles. */
const HANDLE = /^[\p{L}\p{M}\p{N}._·-]{3,60}$/u;
const NAME = /^[\p{L}\p{M}\p{N}._-]{1,100}$/u;
/** The tabs of a channel's page. */
export const CHANNEL_TABS = [
  'featured',
  'videos',
  'shorts',
  'streams',
  'live',
  'playlists',
  'community',
  'posts',
  'about',
];
/** Where the real platform's pages are. */
export const VIDNET_PLATFORM_URL = 'https://www.youtube.com/';
const REAL_HOSTS = ['youtube.com', 'music.youtube.com'];

/**
 * Reads a reference to a channel: a URL with `/@handle`, `/channel/ID`, `/c/NAME` or `/user/NAME`, with or without
 * scheme, `www.`, tab and query, or a bare handle or id.
 *
 * @param hosts further hosts of the platform, as the configuration names them, with port
 * @returns undefined for anything else
 */
export function channelReferenceOf(text: string, hosts: readonly string[] = []): ChannelReference | undefined {
  const trimmed = text.trim();
  if (!trimmed.includes('/')) return bareReference(trimmed);
  const segments = platformSegmentsOf(trimmed, [...REAL_HOSTS, ...hosts]);
  if (segments === undefined) return undefined;
  const [first = '', second = '', ...rest] = segments;
  if (first.startsWith('@')) return isTab([second, ...rest]) ? handle(first.slice(1)) : undefined;
  if (!isTab(rest)) return undefined;
  switch (first.toLowerCase()) {
    case 'channel':
      return CHANNEL_ID.test(second) ? { kind: 'id', name: second } : undefined;
    case 'c':
      return NAME.test(second) ? { kind: 'custom', name: folded(second) } : undefined;
    case 'user':
      return NAME.test(second) ? { kind: 'user', name: folded(second) } : undefined;
    default:
      return undefined;
  }
}

const PLACES = { handle: '@', id: 'channel/', custom: 'c/', user: 'user/' } as const;

/** The path of the channel on the platform, which is also part of its subject ID. */
export function channelPathOf({ kind, name }: ChannelReference): string {
  return PLACES[kind] + name;
}

/** @returns the channel whose path contains its ID; undefined for any other path */
export function channelByIdAt(path: string): ChannelReference | undefined {
  const [kind, name = '', ...rest] = path.split('/');
  return kind === 'channel' && name !== '' && rest.length === 0 ? { kind: 'id', name } : undefined;
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
