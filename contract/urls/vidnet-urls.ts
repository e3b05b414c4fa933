import { platformPageOf } from './platform-urls.ts';

const VIDEO_ID = /^[A-Za-z0-9_-]{11}$/;
const HOSTS = ['youtube.com', 'music.youtube.com', 'youtube-nocookie.com'];
/** The path of a short link is the ID. */
const SHORT_HOSTS = ['youtu.be'];
const BEFORE_ID = new Set(['shorts', 'live', 'embed', 'v']);

/** @param text the URL of a page of the video, or its ID. @param hosts further hosts of the platform, with port */
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
