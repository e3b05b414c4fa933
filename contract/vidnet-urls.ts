import { platformPageOf } from './platform-urls.ts';

const VIDEO_ID = /^[A-Za-z0-9_-]{11}$/;
const HOSTS = ['youtube.com', 'music.youtube.com', 'youtube-nocookie.com'];
/** Of links to share: the id is the whole path. */
const SHORT_HOSTS = ['youtu.be'];
/** First path segments that stand before the id of a video. */
const BEFORE_ID = new Set(['shorts', 'live', 'embed', 'v']);

/**
 * The video that a caller means: a URL of one of its pages, with or without scheme, `www.` and what else stands in its query, or
 * a bare id.
 *
 * @param hosts further hosts of the platform, as the configuration names them, with port
 * @returns its id; undefined for anything else
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

/** Whether a URL leads to a playlist of the platform. @param hosts as above */
export function isPlaylistUrl(text: string, hosts: readonly string[] = []): boolean {
  const page = platformPageOf(text.trim(), [...HOSTS, ...hosts]);
  return page !== undefined && /^(?:playlist|watch)$/.test(page.segments.join('/')) && page.query.has('list');
}

function idIn(text: string | null | undefined): string | undefined {
  const id = text ?? '';
  return VIDEO_ID.test(id) ? id : undefined;
}
