import { platformPageOf } from './platform-urls.ts';

const VIDEO_ID = /^[A-Za-z0-9_-]{11}$/;
const HOSTS = ['youtube.com', 'music.youtube.com', 'youtube-nocookie.com'];
/** The path of a short link is the ID. */
const SHORT_HOSTS = ['youtu.be'];
/** The path segments that precede the ID of a video. */
const BEFORE_ID = new Set(['shorts', 'live', 'embed', 'v']);

/**
 * Parses a reference to a video: a URL of one of its pages, with or without scheme, `www.` and further query parameters, or its ID.
 *
 * @param hosts further hosts of the platform, as the configuration names them, with port
 * @returns the ID; undefined for anything else
 */
export function videoIdOf(text: string, hosts: readonly string[] = []): string | undefined {
  const trimmed = text.trim();
  const short = platformPageOf(trimmed, SHORT_HOSTS);
  if (short !== undefined) return short.segments.length === 1 ? idIn(short.segments[0]) : undefined;
  const page = platformPageOf(trimmed, [...HOSTS, ...hosts]);
  if (page === undefined) return idIn(trimmed);
  const [first = '', second, ...more] = page.segments;
  if (first === 'watch' && second === undefined) return idIn(page.query.get('v'));
  return BEFORE_ID.has(first) && more.length === 0 ? idIn(second) : undefined;
}

/** Whether a URL is that of a playlist. @param hosts as for {@link videoIdOf} */
export function isPlaylistUrl(text: string, hosts: readonly string[] = []): boolean {
  const page = platformPageOf(text.trim(), [...HOSTS, ...hosts]);
  return page !== undefined && /^(?:playlist|watch)$/.test(page.segments.join('/')) && page.query.has('list');
}

function idIn(text: string | null = ''): string | undefined {
  return text !== null && VIDEO_ID.test(text) ? text : undefined;
}
